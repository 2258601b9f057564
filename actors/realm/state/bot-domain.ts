/**
 * The domain of addresses that the server makes up: those of bots, and those that stand for hidden ones. Clients and
 * libraries check addresses. So the domain looks like a mail domain even when the server's own host does not.
 */
const fallback = "parley.localhost";

/** A name of several parts that ends in letters: not a single word like `localhost`, and not an IP address. */
const mailDomainPattern = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/i;

export const isMailDomain = (name: string): boolean => name.length <= 253 && mailDomainPattern.test(name);

/** The domain for an organization, by its host with or without a port. */
export function botDomainOf(host: string): string {
  const name = host.replace(/:\d+$/, "");
  return isMailDomain(name) ? name : fallback;
}
