import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ports of outgoing connections. Source: Linux net.ipv4.ip_local_port_range begins at 32768, others' at
 * 49152.
 */
const firstPort = 16_384;
const endPort = 32_768;

/**
 * A loopback port that nobody has at the moment, though somebody may take it before you do. It is none that the kernel
 * gives to outgoing connections. A client that asks for a server while that one restarts could be given the server's
 * own port. It would be connected to itself, and keep the server from coming back.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, endPort);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      error.code === "EADDRINUSE" || error.code === "EACCES" ? resolve(false) : reject(error),
    );
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
