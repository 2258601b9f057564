/** A log that cannot be written neither freezes nor ends the server. */
import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LogDestination } from "../../../http/process/log-destination.ts";
import { until } from "../../support/time/until.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-log-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const linesOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it("a full disk (ENOSPC): lines are counted, and nothing is thrown", async () => {
  const fd = openSync("/dev/full", "w");
  const destination = new LogDestination(fd);
  const log = pino({ base: null }, destination);
  for (let index = 0; index < 10; index++) log.info({ index }, "a line");
  await until("them to be dropped", () => destination.dropped > 0);
  await until("all of them to be dropped", () => destination.dropped === 10);
  closeSync(fd);
});

it("a pipe that nobody reads: the event loop goes on, and whoever reads again is told what was lost", async () => {
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  // Read and write: it opens at once, and a write waits when the pipe is full.
  const fd = openSync(path, constants.O_RDWR);
  const destination = new LogDestination(fd);
  const log = pino({ base: null }, destination);
  for (let index = 0; index < 3000; index++) log.info({ index, filler: "x".repeat(1000) }, "a line");
  await until("some to be dropped", () => destination.dropped > 0);
  let turns = 0;
  await until("the event loop to turn", () => ++turns > 20);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  let text = "";
  const chunk = Buffer.alloc(65_536);
  await until("the loss to be told", () => {
    try {
      text += chunk.toString("utf8", 0, readSync(reader, chunk));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      log.info("another line");
    }
    return text.includes("log lines were lost") && text.endsWith("\n");
  });
  expect(linesOf(text).find(({ msg }) => msg === "log lines were lost")).toMatchObject({
    dropped: destination.dropped,
    fault: "it is not read",
  });
  closeSync(reader);
  closeSync(fd);
});

it("a fault that comes again and again is written once a second, any other at once", async () => {
  const path = join(folder, "log");
  const fd = openSync(path, "w");
  const log = pino({ base: null }, new LogDestination(fd));
  for (let index = 0; index < 500; index++) log.error({ err: { message: "no space" } }, "writer failed");
  log.error({ err: { message: "another" } }, "writer failed");
  for (let index = 0; index < 3; index++) log.info("ordinary");
  await until("the last to be written", () => readFileSync(path, "utf8").split("ordinary").length === 4);
  const messages = linesOf(readFileSync(path, "utf8")).filter(({ msg }) => msg === "writer failed");
  expect(messages.length).toBeGreaterThanOrEqual(2);
  // One for each second that this took.
  expect(messages.length).toBeLessThan(20);
  closeSync(fd);
});
