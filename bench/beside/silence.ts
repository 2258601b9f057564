/** Servers that take every connection and never say anything. */
import { createServer } from "node:net";
import type { Setup } from "../harness/setup.ts";

/** Sites are asked at the port of the web only. Whoever may not open that has no site here. */
const siteHost = "127.0.0.80";
const sitePort = 80;

export interface Silence {
  /** Of a Parley that asks all of them. */
  settings: Readonly<Record<string, string>>;
  /** Where a bot's server would be. */
  botUrl: string;
  /** Of a page; undefined: there is no site. */
  siteUrl: string | undefined;
  /** How many connections each had. */
  told(): string;
}

export async function startSilence(setup: Setup): Promise<Silence> {
  const counts = new Map<string, number>();
  const open = (name: string, host = "127.0.0.1", port = 0) =>
    listen(setup, host, port, () => counts.set(name, (counts.get(name) ?? 0) + 1));
  const [model, relay, collector, bot] = [
    await open("model"),
    await open("relay"),
    await open("collector"),
    await open("bot"),
  ];
  const site = await open("site", siteHost, sitePort).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EACCES" && error.code !== "EADDRINUSE") throw error;
    return undefined;
  });
  return {
    settings: {
      PARLEY_AI_URL: `http://127.0.0.1:${model}/v1`,
      PARLEY_AI_MODEL: "silent",
      PARLEY_MCP: "on",
      PARLEY_PUSH_RELAY_URL: `http://127.0.0.1:${relay}`,
      PARLEY_OTLP_URL: `http://127.0.0.1:${collector}`,
      PARLEY_LINK_PREVIEWS: "on",
      PARLEY_ALLOWED_ADDRESSES: "127.0.0.0/8",
    },
    botUrl: `http://127.0.0.1:${bot}/`,
    siteUrl: site === undefined ? undefined : `http://${siteHost}`,
    told: () => [...counts].map(([name, count]) => `${name} ${count}`).join(", "),
  };
}

async function listen(setup: Setup, host: string, port: number, heard: () => void): Promise<number> {
  const server = createServer((socket) => {
    heard();
    socket.on("error", () => {}).resume();
    setup.atEnd(async () => void socket.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  setup.atEnd(async () => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
