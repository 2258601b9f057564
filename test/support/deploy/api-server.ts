/** A Kubernetes of a test's own: an API server with its etcd. It takes or refuses objects, and runs none of them. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { startEtcd, type TestEtcd } from "../failover/etcd.ts";
import { until } from "../time/until.ts";

const token = "operator";

export const hasApiServer = ["kube-apiserver", "etcd", "kubectl"].every(
  (program) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0,
);

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface TestApiServer {
  /** @param input is what the command reads, as `-f -` wants it */
  kubectl(words: readonly string[], input?: string): Ran;
  helm(words: readonly string[]): Ran;
  stop(): Promise<void>;
}

export async function startApiServer(): Promise<TestApiServer> {
  const folder = await mkdtemp(join(tmpdir(), "parley-kubernetes-"));
  const etcd = await startEtcd(folder);
  const port = await freePort();
  const key = join(folder, "accounts.pem");
  const tokens = join(folder, "tokens.csv");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  await writeFile(tokens, `${token},operator,1,system:masters\n`);
  const settings = {
    "etcd-servers": `http://127.0.0.1:${etcd.port}`,
    "bind-address": "127.0.0.1",
    "secure-port": port,
    "cert-dir": folder,
    "token-auth-file": tokens,
    "service-account-issuer": "https://kubernetes.default.svc",
    "service-account-key-file": key,
    "service-account-signing-key-file": key,
    "service-cluster-ip-range": "10.0.0.0/24",
    // Nobody is to reach it from elsewhere.
    "advertise-address": "10.0.0.1",
    "endpoint-reconciler-type": "none",
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  const child = spawn("kube-apiserver", flags, { stdio: "ignore" });
  const url = `https://127.0.0.1:${port}`;
  const run = (program: string, words: readonly string[], input = ""): Ran => {
    const env = { ...process.env, HOME: folder };
    const { status, stdout, stderr } = spawnSync(program, words, { input, encoding: "utf8", env });
    return { status, stdout, stderr };
  };
  const kubectl: TestApiServer["kubectl"] = (words, input) =>
    run("kubectl", ["--server", url, "--insecure-skip-tls-verify", "--token", token, ...words], input);
  const helm: TestApiServer["helm"] = (words) =>
    run("helm", ["--kube-apiserver", url, "--kube-insecure-skip-tls-verify", "--kube-token", token, ...words]);
  // It makes the namespace of those who name none a moment after it is ready.
  await until("the API server to be ready", () => kubectl(["get", "namespace", "default"]).status === 0);
  return { kubectl, helm, stop: () => stopAll(child, etcd, folder) };
}

async function stopAll(child: ChildProcess, etcd: TestEtcd, folder: string): Promise<void> {
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  child.kill("SIGKILL");
  await ended;
  await etcd.stop();
  await rm(folder, { recursive: true, force: true });
}
