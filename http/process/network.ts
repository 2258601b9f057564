/** Where other machines find this one. */
import { networkInterfaces } from "node:os";
import type { Config } from "./config.ts";

const mostShown = 5;

/** Addresses that other machines may know this server by; none where it listens for this machine or one name only. */
export function networkAddresses({ host, port, isUrlChosen }: Pick<Config, "host" | "port" | "isUrlChosen">): string[] {
  if (isUrlChosen || (host !== "0.0.0.0" && host !== "::")) return [];
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family, address }) => !internal && (family === "IPv4" || /^[23]/.test(address)))
    .map(({ family, address }) => `http://${family === "IPv6" ? `[${address}]` : address}:${port}`)
    .slice(0, mostShown);
}
