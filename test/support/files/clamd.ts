/** A real virus scanner: Debian's clamd, on loopback, which knows one virus and needs no download. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { until } from "../time/until.ts";

/** Not on everybody's PATH. */
const program = existsSync("/usr/sbin/clamd") ? "/usr/sbin/clamd" : "clamd";

/** Why tests with a virus scanner are skipped; empty: they are not. */
export const lacksClamd =
  spawnSync(program, ["--version"]).error === undefined ? "" : " (skipped: clamd is not installed)";

/** EICAR's test file, in pieces: what looks for viruses is to find none in this repository. */
export const virus = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR", "STANDARD", "ANTIVIRUS", "TEST", "FILE!$H+H*"].join("-");
export const finding = "Parley.Test.Eicar.UNOFFICIAL";

class TestClamd {
  #child: ChildProcess | undefined;
  #folder = "";
  port = 0;

  get socketPath(): string {
    return join(this.#folder, "clamd.sock");
  }

  /** @param limits further lines of its configuration */
  async start(limits: readonly string[] = []): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), "parley-clamd-"));
    this.port = await freePort();
    const signatures = join(this.#folder, "signatures");
    await mkdir(signatures);
    await writeFile(join(signatures, "own.ndb"), `Parley.Test.Eicar:0:*:${Buffer.from(virus).toString("hex")}\n`);
    const lines = [
      "Foreground yes",
      `DatabaseDirectory ${signatures}`,
      `TemporaryDirectory ${this.#folder}`,
      `LocalSocket ${this.socketPath}`,
      `TCPSocket ${this.port}`,
      "TCPAddr 127.0.0.1",
      ...limits,
    ];
    await writeFile(join(this.#folder, "clamd.conf"), lines.join("\n"));
    await this.run();
  }

  /** Starts it, or starts it again. */
  async run(): Promise<void> {
    const child = spawn(program, ["-c", join(this.#folder, "clamd.conf")], { stdio: ["ignore", "ignore", "pipe"] });
    let complaints = "";
    child.stderr.on("data", (text) => {
      complaints += text;
    });
    this.#child = child;
    await until("clamd to serve", async () => {
      if (child.exitCode !== null) throw new Error(`clamd ended: ${complaints}`);
      return this.#answers();
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, "127.0.0.1", () => socket.write("zPING\0"));
      socket.on("data", () => socket.end(() => resolve(true)));
      socket.on("error", () => resolve(false));
    });
  }
}

/** One for the tests of a `describe`. @param limits further lines of its configuration */
export function testClamd(limits: readonly string[] = []): TestClamd {
  const clamd = new TestClamd();
  beforeAll(() => clamd.start(limits));
  afterAll(() => clamd.stop());
  return clamd;
}
