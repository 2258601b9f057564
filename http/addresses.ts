/** Addresses of machines as requests and settings have them: names, IPv4 and IPv6, with a port or without. */
import { BlockList, isIP, isIPv6 } from "node:net";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** Without the port and the brackets of IPv6, in lower case; undefined where it is none. */
export function hostNameOf(text: string): string | undefined {
  const match = /^(?:\[([0-9a-f:.%]{2,60})\]|([0-9a-z._-]{1,253}))(?::\d{1,5})?$/.exec(text.trim().toLowerCase());
  return match?.[1] ?? match?.[2]?.replace(/\.$/, "");
}

/** Whether a name is one that every machine has for itself. Browsers ask no DNS server for it. */
export function isLoopbackName(name: string): boolean {
  const bare = name.toLowerCase();
  if (isIP(bare)) return loopback.check(bare, isIPv6(bare) ? "ipv6" : "ipv4");
  return bare === "localhost" || bare.endsWith(".localhost");
}
