/**
 * A Kubernetes of a test's own: an API server with its etcd, which takes or refuses objects. With its controllers it
 * also makes pods of them, places them, and replaces them. No container ever runs.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { startEtcd, type TestEtcd } from "../failover/etcd.ts";
import { until } from "../time/until.ts";

const token = "operator";
const placeOf = (program: string) =>
  spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).stdout.trim();

export const hasApiServer = ["kube-apiserver", "etcd", "kubectl"].every(placeOf);
/** What kwok says of machines and pods: `.ci/install-kubernetes-tools` puts it beside the folder of kwok. */
const stages = join(dirname(placeOf("kwok")), "../stages");
export const hasControllers =
  hasApiServer && ["kube-controller-manager", "kube-scheduler", "kwok"].every(placeOf) && existsSync(stages);

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export class TestApiServer {
  readonly #children: ChildProcess[] = [];
  readonly #kubeconfig: string;
  readonly #key: string;

  private constructor(
    private readonly folder: string,
    private readonly etcd: TestEtcd,
  ) {
    this.#kubeconfig = join(folder, "kubeconfig");
    this.#key = join(folder, "accounts.pem");
  }

  static async start(): Promise<TestApiServer> {
    const folder = await mkdtemp(join(tmpdir(), "parley-kubernetes-"));
    const server = new TestApiServer(folder, await startEtcd(folder));
    try {
      await server.#begin();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  async #begin(): Promise<void> {
    const port = await freePort();
    const tokens = join(this.folder, "tokens.csv");
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    await writeFile(this.#key, privateKey.export({ type: "pkcs8", format: "pem" }));
    await writeFile(tokens, `${token},operator,1,system:masters\n`);
    await writeFile(this.#kubeconfig, JSON.stringify(accessTo(`https://127.0.0.1:${port}`)));
    this.#spawn("kube-apiserver", {
      "etcd-servers": `http://127.0.0.1:${this.etcd.port}`,
      "bind-address": "127.0.0.1",
      "secure-port": port,
      "cert-dir": this.folder,
      "token-auth-file": tokens,
      "service-account-issuer": "https://kubernetes.default.svc",
      "service-account-key-file": this.#key,
      "service-account-signing-key-file": this.#key,
      "service-cluster-ip-range": "10.0.0.0/24",
      // Nobody is to reach it from elsewhere.
      "advertise-address": "10.0.0.1",
      "endpoint-reconciler-type": "none",
    });
    // It makes the namespace of those who name none a moment after it is ready.
    await until("the API server to be ready", () => this.kubectl(["get", "namespace", "default"]).status === 0);
  }

  /** From now on pods and jobs are taken for running and done, on machines that kwok makes up. */
  async startControllers(machines: number): Promise<void> {
    const kubeconfig = this.#kubeconfig;
    const alone = { kubeconfig, "leader-elect": false, "secure-port": 0 };
    this.#spawn("kube-controller-manager", {
      ...alone,
      "service-account-private-key-file": this.#key,
      // A busy machine may be late to say that these live.
      "node-monitor-grace-period": "10m",
    });
    this.#spawn("kube-scheduler", alone);
    const config = (await readdir(stages)).map((file) => join(stages, file)).join(",");
    this.#spawn("kwok", { kubeconfig, config, "manage-all-nodes": true, "node-lease-duration-seconds": 40 });
    for (let index = 0; index < machines; index++)
      this.kubectl(["create", "--filename", "-"], JSON.stringify(machine(`machine-${index}`)));
    await until("the machines to be ready", () => {
      const { stdout } = this.kubectl(["get", "nodes", "--no-headers"]);
      return (stdout.match(/ Ready /g) ?? []).length === machines;
    });
  }

  /** @param input is what the command reads, as `-f -` wants it */
  kubectl(words: readonly string[], input = ""): Ran {
    return this.#run("kubectl", words, input);
  }

  helm(words: readonly string[]): Ran {
    return this.#run("helm", words, "");
  }

  /** Starts a command, and does not wait for it. */
  begin(program: string, words: readonly string[]): ChildProcess {
    const child = spawn(program, words, { env: this.#environment, stdio: "ignore" });
    this.#children.push(child);
    return child;
  }

  get #environment() {
    return { ...process.env, HOME: this.folder, KUBECONFIG: this.#kubeconfig };
  }

  #run(program: string, words: readonly string[], input: string): Ran {
    const { status, stdout, stderr } = spawnSync(program, words, { input, encoding: "utf8", env: this.#environment });
    return { status, stdout, stderr };
  }

  #spawn(program: string, settings: Readonly<Record<string, string | number | boolean>>): void {
    const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
    this.begin(program, flags);
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      const isGone = child.exitCode !== null || child.signalCode !== null;
      const ended = new Promise<void>((done) => child.once("exit", () => done()));
      child.kill("SIGKILL");
      if (!isGone) await ended;
    }
    await this.etcd.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const accessTo = (server: string) => ({
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "test", cluster: { server, "insecure-skip-tls-verify": true } }],
  users: [{ name: "operator", user: { token } }],
  contexts: [{ name: "test", context: { cluster: "test", user: "operator" } }],
  "current-context": "test",
});

const machine = (name: string) => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name, labels: { "kubernetes.io/hostname": name } },
  status: {
    allocatable: { cpu: "8", memory: "32Gi", pods: "110" },
    capacity: { cpu: "8", memory: "32Gi", pods: "110" },
  },
});
