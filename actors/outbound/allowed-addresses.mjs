/**
 * The addresses that the server may connect to for people. People choose them: without a rule they would reach what
 * only this machine and its network may (databases, routers, the cloud's own services). This is plain JavaScript, since
 * the process that reads pages for previews is not compiled. Its types are in `allowed-addresses.d.mts`.
 */
import { BlockList, isIP, isIPv6 } from "node:net";

/** The part of IPv4 that is not the open internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const internalIpv4 = subnets([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
]);
/** The open internet of IPv6, and the parts of it that lead to IPv4 or are for documentation. */
const openIpv6 = subnets(["2000::/3"]);
const specialIpv6 = subnets(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

const isIn = (list, address) => list.check(address, isIPv6(address) ? "ipv6" : "ipv4");

/** Whether an address belongs to the open internet. */
export function isOpenAddress(address) {
  if (isIPv6(address)) return isIn(openIpv6, address) && !isIn(specialIpv6, address);
  return isIP(address) === 4 && !isIn(internalIpv4, address);
}

/** Makes a test for the addresses of a list like `10.1.2.0/24, 127.0.0.1`. @throws Error for an invalid one */
export function parseAddressList(text) {
  const list = subnets(text.split(/[\s,]+/).filter((word) => word !== ""));
  return (address) => isIP(address) !== 0 && isIn(list, address);
}

/** Makes a test for the addresses that are allowed: those of the open internet, and the listed ones. @throws Error */
export function parseAllowedAddresses(text) {
  const isListed = parseAddressList(text);
  return (address) => isOpenAddress(address) || isListed(address);
}

/** @throws Error */
function subnets(words) {
  const list = new BlockList();
  for (const word of words) {
    const [, address = "", prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(word) ?? [];
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    if (version === 0 || Number(prefix ?? bits) > bits)
      throw new Error(`must be addresses or ranges like 10.1.2.0/24, not "${word}".`);
    list.addSubnet(address, Number(prefix ?? bits), version === 6 ? "ipv6" : "ipv4");
  }
  return list;
}
