/** A Prometheus that looks at nodes once a second, and an Alertmanager that tells the test what rings. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { adminToken } from "../client/as-operator.ts";
import { until } from "../time/until.ts";
import { asSeconds } from "./minutes.ts";

const rulesFile = resolve(import.meta.dirname, "../../../deploy/alerts.yaml");
const programs = ["prometheus", "prometheus-alertmanager"];
const isProgram = (name: string) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

/** The first program of them that is not here. */
export const lacksMonitoring = programs.find((name) => !isProgram(name));

interface Told {
  alerts: { status: "firing" | "resolved"; labels: { alertname: string }; startsAt: string }[];
}

export class Monitoring {
  /** When each alert began to ring, the last time, by `performance.now()`. */
  readonly rungAt = new Map<string, number>();
  /** Those that ring, of which one alert may have several. */
  readonly #ringing = new Map<string, string>();
  readonly #children: ChildProcess[] = [];

  private constructor(
    private readonly folder: string,
    private readonly ears: Server,
  ) {}

  /** @param nodes addresses of nodes, of which the operator may ask */
  static async start(nodes: readonly string[]): Promise<Monitoring> {
    const folder = await mkdtemp(join(tmpdir(), "parley-monitoring-"));
    const ears = createServer();
    await new Promise<void>((done) => ears.listen(0, "127.0.0.1", done));
    const monitoring = new Monitoring(folder, ears);
    ears.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        monitoring.#hear(JSON.parse(Buffer.concat(chunks).toString()) as Told);
        response.end();
      });
    });
    try {
      await monitoring.#begin(nodes);
    } catch (error) {
      await monitoring.stop();
      throw error;
    }
    return monitoring;
  }

  isRinging(alert: string): boolean {
    return [...this.#ringing.values()].includes(alert);
  }

  #hear({ alerts }: Told): void {
    for (const { status, labels, startsAt } of alerts) {
      const key = JSON.stringify([labels, startsAt]);
      if (status === "resolved") this.#ringing.delete(key);
      else if (!this.#ringing.has(key)) {
        this.#ringing.set(key, labels.alertname);
        this.rungAt.set(labels.alertname, performance.now());
      }
    }
  }

  async #begin(nodes: readonly string[]): Promise<void> {
    const [managerPort, prometheusPort] = [await freePort(), await freePort()];
    await writeFile(join(this.folder, "alerts.yaml"), asSeconds(await readFile(rulesFile, "utf8")));
    const manager = await this.#write("alertmanager.json", {
      route: { receiver: "test", group_by: ["alertname"], group_wait: "0s", group_interval: "1s" },
      receivers: [
        { name: "test", webhook_configs: [{ url: `http://127.0.0.1:${(this.ears.address() as AddressInfo).port}/` }] },
      ],
    });
    const prometheus = await this.#write("prometheus.json", {
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: ["alerts.yaml"],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${managerPort}`] }] }] },
      scrape_configs: [
        {
          job_name: "parley",
          authorization: { credentials: adminToken },
          static_configs: [{ targets: nodes.map((url) => new URL(url).host) }],
        },
      ],
    });
    const here = (port: number) => `127.0.0.1:${port}`;
    await this.#run(here(managerPort), "prometheus-alertmanager", {
      "config.file": manager,
      "web.listen-address": here(managerPort),
      "storage.path": join(this.folder, "manager"),
      // It is the only one.
      "cluster.listen-address": "",
    });
    await this.#run(here(prometheusPort), "prometheus", {
      "config.file": prometheus,
      "web.listen-address": here(prometheusPort),
      "storage.tsdb.path": join(this.folder, "series"),
    });
  }

  async #write(name: string, content: object): Promise<string> {
    const file = join(this.folder, name);
    await writeFile(file, JSON.stringify(content));
    return file;
  }

  async #run(host: string, program: string, flags: Readonly<Record<string, string>>): Promise<void> {
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    this.#children.push(spawn(program, words, { stdio: "ignore" }));
    await until(`${program} to be ready`, () =>
      fetch(`http://${host}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  async stop(): Promise<void> {
    for (const child of this.#children) {
      const ended = new Promise<void>((done) => child.once("exit", () => done()));
      child.kill("SIGKILL");
      await ended;
    }
    this.ears.closeAllConnections();
    await new Promise((done) => this.ears.close(done));
    await rm(this.folder, { recursive: true, force: true });
  }
}
