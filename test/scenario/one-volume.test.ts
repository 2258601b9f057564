/**
 * Two containers on one volume: what separates them here is what counts, the namespace of their pids, in which neither
 * sees the other's processes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../support/client/api.ts";
import { until } from "../support/time/until.ts";

const cli = resolve(import.meta.dirname, "../../dist/http/process/cli.js");
const readyWithinMs = 90_000;

interface Container {
  url: string;
  outer: ChildProcess;
  output(): string;
  ended: Promise<void>;
}

let folder: string;
let containers: Container[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-volume-"));
  await chmod(folder, 0o755);
  containers = [];
});
afterEach(async () => {
  for (const { outer } of containers) outer.kill("SIGKILL");
  await Promise.all(containers.map(({ ended }) => ended));
  await rm(folder, { recursive: true, force: true });
});

/** A server that is not process 1 of its container, so that the container outlives it. */
async function startContainer(): Promise<Container> {
  const port = await freePort();
  const identity = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  const namespace = [...identity, "--pid", "--fork", "--mount-proc", "--kill-child=SIGKILL"];
  const outer = spawn("unshare", [...namespace, "sh", "-c", `"$0" "$1" serve; sleep 600`, process.execPath, cli], {
    env: { ...process.env, PORT: String(port), HOST: "127.0.0.1", PARLEY_DATA_DIR: folder, PARLEY_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [outer.stdout, outer.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  const ended = new Promise<void>((done) => outer.once("exit", () => done()));
  const container = { url: `http://127.0.0.1:${port}`, outer, output: () => output, ended };
  containers.push(container);
  return container;
}

const isReady = (container: Container) =>
  fetch(`${container.url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** The server's process, as this test's namespace counts. */
async function serverOf(container: Container): Promise<number> {
  const shell = await childOf(container.outer.pid!);
  return childOf(shell);
}

async function childOf(parent: number): Promise<number> {
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    if (Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent) return Number(name);
  }
  throw new Error(`process ${parent} has no child`);
}

async function ownerOf(container: Container): Promise<ApiClient> {
  const zuliprc = await readFile(join(folder, "owner.zuliprc"), "utf8");
  return new ApiClient({
    url: container.url,
    email: "owner@example.com",
    apiKey: /^key=(.+)$/m.exec(zuliprc)![1]!,
  });
}

describe("two containers on one volume", () => {
  it("are refused in one sentence, whether the first one lives or has left its PostgreSQL behind", async () => {
    const first = await startContainer();
    await until("the first container to serve", () => isReady(first), readyWithinMs);
    const owner = await ownerOf(first);
    const send = async (content: string) =>
      expectSuccess(await owner.post("/messages", { type: "channel", to: "general", topic: "kept", content }));
    await send("before");

    const second = await startContainer();
    const isRefused = (text: RegExp) => (container: Container) => text.test(container.output());
    const inUse = /is in use by another Parley: process \d+, since [^.]*\.[^.]*\. Stop that one first/;
    await until("the second container to be refused", () => isRefused(inUse)(second), readyWithinMs);
    await send("after");

    // Its PostgreSQL lives on, where nobody outside can see it.
    process.kill(await serverOf(first), "SIGKILL");
    const third = await startContainer();
    const leftBehind = /A PostgreSQL that another Parley left behind still runs on .*: end it there first\./;
    await until("the third container to be refused", () => isRefused(leftBehind)(third), readyWithinMs);

    first.outer.kill("SIGKILL");
    await first.ended;
    const fourth = await startContainer();
    await until("the fourth container to serve", () => isReady(fourth), readyWithinMs);
    const { messages } = expectSuccess(
      await (await ownerOf(fourth)).get("/messages", {
        anchor: "newest",
        num_before: 10,
        num_after: 0,
        apply_markdown: false,
        narrow: [{ operator: "topic", operand: "kept" }],
      }),
    ) as { messages: { content: string }[] };
    expect(messages.map(({ content }) => content)).toEqual(["before", "after"]);
  }, 240_000);
});
