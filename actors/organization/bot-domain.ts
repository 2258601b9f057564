/**
 * The domain of addresses that the server makes up: of bots, and of people whose own address is not shown. Clients and
 * libraries check addresses, so it looks like one of mail also where the server's own host does not.
 */
const fallback = "parley.localhost";

/** A name of several parts that ends in letters: no single word like `localhost`, and no numbers of an address. */
const mailDomainPattern = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])?$/i;

export const isMailDomain = (name: string): boolean => name.length <= 253 && mailDomainPattern.test(name);

/** The domain for an organization that is reached under a host, with or without a port. */
export function botDomainOf(host: string): string {
  const name = host.replace(/:\d+$/, "");
  return isMailDomain(name) ? name : fallback;
}
