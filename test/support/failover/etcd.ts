/** An etcd of a test's own, which Patroni keeps its leader's lock in. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { until } from "../time/until.ts";

export interface TestEtcd {
  readonly port: number;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  stop(): Promise<void>;
}

/** @param folder for its data */
export async function startEtcd(folder: string): Promise<TestEtcd> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const [own, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const settings = {
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": own,
    "advertise-client-urls": own,
    "listen-peer-urls": peer,
    "initial-advertise-peer-urls": peer,
    "initial-cluster": `default=${peer}`,
    "log-level": "error",
    logger: "zap",
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const child = spawn("etcd", flags, { stdio: "ignore" });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  await until("etcd to answer", () =>
    fetch(`${own}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    port,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
