/** Addresses of machines in requests and settings: names, IPv4 and IPv6, with or without a port. */
import { BlockList, isIP, isIPv6 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** The host in lower case, without port and brackets. Undefined if the text is no address. */
export function hostNameOf(text: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.%]{2,60})\]|([0-9a-z._-]{1,253}))(?::\d{1,5})?$/.exec(text.trim().toLowerCase());
  return match?.[1] ?? match?.[2]?.replace(/\.$/, "");
}

/** Whether every machine uses this name for itself. Browsers ask no DNS server for it. */
export function isLoopbackName(name: string): boolean {
  const bare = name.toLowerCase();
  if (isIP(bare)) return loopback.check(bare, isIPv6(bare) ? "ipv6" : "ipv4");
  return bare === "localhost" || bare.endsWith(".localhost");
}

/**
 * The client's address: the peer's, or the one that the outermost trusted proxy tells. Each proxy adds the address of
 * its client at the end of `X-Forwarded-For`, so what the client itself wrote stands before and does not count. With
 * fewer addresses than proxies it is the first. If that is no address, it is the peer's.
 */
export function clientAddress(forwardedFor: string, proxies: number, peer: string): string {
  const hops = proxies > 0 && forwardedFor !== "" ? forwardedFor.split(",") : [];
  const hop = hops[Math.max(0, hops.length - proxies)];
  return canonicalAddress(hop ?? "") ?? canonicalAddress(peer) ?? peer;
}

/**
 * What is counted together of an address. IPv4: the address. IPv6: the /64, in which one machine takes any address it
 * likes, and the /48. Whoever rents a line or a tunnel often has all /64s of one.
 */
export function networksOf(address: string): readonly [network: string, site?: string] {
  if (!isIPv6(address)) return [address];
  const [head = "", tail] = address.split("::");
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill("0"), ...after];
  const prefix = (count: number) => `${all.slice(0, count).join(":")}::/${count * 16}`;
  return [prefix(4), prefix(3)];
}

/** IPv4 as a socket for both kinds shows it, and as networks of IPv6 alone pass it on. Source: RFC 4291, RFC 6052. */
const ipv4Within = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** One spelling for each address: without port and zone, IPv4 not as IPv6. Undefined: it is no address. */
function canonicalAddress(text: string): string | undefined {
  const name = hostNameOf(text) ?? text.trim().toLowerCase();
  if (name.length > 60) return undefined;
  const bare = name.replace(/%.*/, "");
  if (!isIPv6(bare)) return isIP(bare) ? bare : undefined;
  const short = new URL(`http://[${bare}]/`).hostname.slice(1, -1);
  const [, first, second] = ipv4Within.exec(short) ?? [];
  if (first === undefined || second === undefined) return short;
  const [high, low] = [Number.parseInt(first, 16), Number.parseInt(second, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
