/** Telling a PostgreSQL that is busy from one that is silent, by sockets whose other ends this test has. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Lines } from "../../../storage/connection/lines.ts";
import { until } from "../../support/time/until.ts";

const lines = new Lines();
let server: Server;
const sockets: Socket[] = [];
beforeEach(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

/** Both ends of one more connection of the pool. */
async function line(): Promise<{ ours: Socket; theirs: Socket }> {
  const taken = once(server, "connection");
  const ours = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [theirs] = (await taken) as [Socket];
  sockets.push(ours, theirs);
  lines.add(ours);
  return { ours, theirs };
}

async function answer({ ours, theirs }: Awaited<ReturnType<typeof line>>): Promise<void> {
  const heard = once(ours, "data");
  theirs.write("answer");
  await heard;
}

/** Less than what has passed since the last answer, and more than since one that comes now. */
const longMs = 50;

describe("the connections of a pool", () => {
  it("are busy while each that was asked says something, and not once one is silent", async () => {
    const [one, other] = [await line(), await line()];
    for (const { ours } of [one, other]) ours.write("question");
    await answer(one);
    await answer(other);
    expect(lines.areBusy(60_000)).toBe(true);
    other.ours.write("question");
    await until("one to be silent for so long", async () => {
      one.ours.write("question");
      await answer(one);
      return !lines.areBusy(longMs);
    });
    await answer(other);
    expect(lines.areBusy(60_000)).toBe(true);
  });

  it("are not busy when none has said anything, or is there any more", async () => {
    const { ours, theirs } = await line();
    expect(lines.areBusy(60_000)).toBe(false);
    await answer({ ours, theirs });
    expect(lines.areBusy(60_000)).toBe(true);
    const closed = once(ours, "close");
    ours.destroy();
    await closed;
    expect(lines.areBusy(60_000)).toBe(false);
  });

  it("always have room, as the driver hears it", async () => {
    const { ours, theirs } = await line();
    theirs.pause();
    const bytes = 1 << 20;
    for (let written = 0; written < 32; written++) expect(ours.write(Buffer.alloc(bytes))).toBe(true);
    expect(ours.writableNeedDrain).toBe(true);
    let taken = 0;
    theirs.resume().on("data", (some) => {
      taken += some.length;
    });
    await until("all of it to come", () => taken === 32 * bytes);
  });
});
