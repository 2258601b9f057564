/** What clamd says of a file, and what becomes of it when clamd says something else, or nothing. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Clamd, readClamdAddress, type Verdict } from "../../../actors/uploads/scanning/clamd.ts";
import type { OpenedFile } from "../../../storage/files/file-store.ts";
import { finding, lacksClamd, testClamd, virus } from "../../support/files/clamd.ts";
import { clean, type Script, ScriptedClamd, silent } from "../../support/files/scripted-clamd.ts";

describe.skipIf(lacksClamd !== "")(`a real clamd${lacksClamd}`, () => {
  const clamd = testClamd(["StreamMaxLength 4M", "MaxFileSize 1M", "AlertExceedsMax yes"]);

  it.each(["its port", "its socket"])("is asked at %s", async (where) => {
    const at = readClamdAddress(where === "its port" ? `127.0.0.1:${clamd.port}` : clamd.socketPath);
    const scanner = new Clamd(at, patienceMs);
    expect(await scanner.ask(fileOf("nothing to see"))).toEqual({ is: "clean" });
    expect(await scanner.ask(fileOf(""))).toEqual({ is: "clean" });
    expect(await scanner.ask(fileOf(`before ${virus} after`))).toEqual({ is: "infected", finding });
  });

  it("does not look at what is larger than its limits, which is no virus", async () => {
    const scanner = new Clamd({ host: "127.0.0.1", port: clamd.port }, patienceMs);
    const stream = await scanner.ask(zeros(30 * mebibyte));
    expect(stream).toEqual({ is: "too_large", why: "INSTREAM size limit exceeded. ERROR" });
    expect(await scanner.ask(zeros(2 * mebibyte))).toMatchObject({
      is: "too_large",
      why: expect.stringContaining("Heuristics.Limits.Exceeded"),
    });
  });
});

describe("whatever else it says", () => {
  const clamd = new ScriptedClamd(clean);
  beforeAll(() => clamd.start());
  afterAll(() => clamd.stop());
  const ask = (script: Script, file = fileOf("some text"), ms = patienceMs): Promise<Verdict> => {
    clamd.script = script;
    return new Clamd({ host: "127.0.0.1", port: clamd.port }, ms).ask(file);
  };

  it.each([
    "",
    "stream: OK ERROR",
    "stream: OKAY",
    "OK",
    "stream:  OK",
    "COMMAND READ TIMED OUT ERROR",
    "x".repeat(100_000),
  ])("%j is not clean", async (answer) => {
    expect((await ask(({ isWhole }) => (isWhole ? answer : undefined))).is).toBe("failed");
  });

  it("silence ends in time, before all was taken and after", async () => {
    const failed = { is: "failed", why: "clamd was silent for too long" };
    expect(await ask(silent, undefined, 2000)).toEqual(failed);
    expect(await ask((_, socket) => void socket.pause(), zeros(64 * mebibyte), 2000)).toEqual(failed);
  });

  it("a connection that is closed, or cut, says nothing", async () => {
    expect((await ask((_, socket) => void socket.end())).is).toBe("failed");
    expect((await ask((_, socket) => void socket.resetAndDestroy(), zeros(64 * mebibyte))).is).toBe("failed");
  });

  it("an answer before the end counts", async () => {
    const early: Script = ({ bytes }) => (bytes > mebibyte ? "INSTREAM size limit exceeded. ERROR" : undefined);
    expect(await ask(early, zeros(64 * mebibyte))).toEqual({
      is: "too_large",
      why: "INSTREAM size limit exceeded. ERROR",
    });
  });

  it("a file of 100 MB is read as it is taken, and not before", async () => {
    const file = zeros(100 * mebibyte);
    let [read, ahead] = [0, 0];
    const counted: OpenedFile = {
      size: file.size,
      async read(offset, into) {
        const count = await file.read(offset, into);
        read += count;
        ahead = Math.max(ahead, read - (clamd.asked.at(-1)?.bytes ?? 0));
        return count;
      },
    };
    expect(await ask(clean, counted)).toEqual({ is: "clean" });
    expect(clamd.asked.at(-1)).toEqual({ bytes: file.size, isWhole: true });
    // What the sockets of both sides hold.
    expect(ahead).toBeLessThan(16 * mebibyte);
  });

  it("a file that cannot be read is no answer of clamd's", async () => {
    const broken: OpenedFile = { size: 9, read: () => Promise.reject(new Error("the disk is gone")) };
    await expect(ask(clean, broken)).rejects.toThrow("the disk is gone");
  });

  it("nobody there is away", async () => {
    await clamd.stop();
    expect((await ask(clean)).is).toBe("away");
    expect((await new Clamd({ path: "/nowhere/clamd.ctl" }, patienceMs).ask(fileOf(""))).is).toBe("away");
  });
});

it("where it listens is read from a setting, or the start ends with a sentence", () => {
  expect(readClamdAddress("127.0.0.1:3310")).toEqual({ host: "127.0.0.1", port: 3310 });
  expect(readClamdAddress("[::1]:3310")).toEqual({ host: "::1", port: 3310 });
  expect(readClamdAddress("clamav.example.com:3310")).toEqual({ host: "clamav.example.com", port: 3310 });
  expect(readClamdAddress("/run/clamav/clamd.ctl")).toEqual({ path: "/run/clamav/clamd.ctl" });
  for (const wrong of [
    "clamd",
    "clamd:",
    "clamd:0",
    "clamd:70000",
    "tcp://clamd:3310",
    "clamd.ctl",
    `/${"x".repeat(200)}`,
  ])
    expect(() => readClamdAddress(wrong)).toThrow(/^PARLEY_CLAMD must be where clamd listens, like .+, not ".+"\.$/);
});

const mebibyte = 1024 * 1024;
/** Nothing here takes as long on any machine. */
const patienceMs = 60_000;

const fileOf = (text: string): OpenedFile => {
  const bytes = Buffer.from(text);
  return { size: bytes.length, read: async (offset, into) => bytes.copy(into, 0, offset) };
};
const zeros = (size: number): OpenedFile => ({
  size,
  read: async (offset, into) => Math.min(into.length, size - offset),
});
