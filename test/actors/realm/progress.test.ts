/** Waiting until a replica is where its writer is. Time is a fake one. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Progress } from "../../../actors/realm/progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("what no disk keeps is waited for, however late the stream brings it to a busy node", async () => {
  const { realm, progress } = replicaBehind(7);
  const reached = vi.fn();
  void progress.reachWriter().then(reached);
  await vi.advanceTimersByTimeAsync(2000);
  expect(reached).not.toHaveBeenCalled();
  realm.position = 7;
  progress.moved();
  await vi.advanceTimersByTimeAsync(0);
  expect(reached).toHaveBeenCalledWith(7);
});

it("what the stream never brings is not waited for without end", async () => {
  const { progress } = replicaBehind(7);
  const reached = vi.fn();
  void progress.reachWriter().then(reached);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reached).toHaveBeenCalledWith(7);
});

it("nobody waits where there is no writer to ask, nor where the replica is as far", async () => {
  const { progress } = replicaBehind(new Error("no writer"));
  expect(await progress.reachWriter()).toBeUndefined();
  expect(await replicaBehind(3).progress.reachWriter()).toBe(3);
});

it("the log is read from PostgreSQL after a moment, and at once where there is no stream", async () => {
  const readOn = vi.fn(async () => {});
  void replicaBehind(7, { hasStream: false, readOn }).progress.reached(7);
  await vi.advanceTimersByTimeAsync(1);
  expect(readOn).toHaveBeenCalledTimes(1);
  void replicaBehind(7, { readOn }).progress.reached(7);
  await vi.advanceTimersByTimeAsync(99);
  expect(readOn).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(readOn).toHaveBeenCalledTimes(2);
});

/** A replica at position 3, and what asking its writer gives. */
function replicaBehind(writer: number | Error, { hasStream = true, readOn = async () => {} } = {}) {
  const realm = { id: 1, database: {} as never, position: 3 };
  const ask = async () => {
    if (writer instanceof Error) throw writer;
    return writer;
  };
  const progress = new Progress(
    realm,
    readOn,
    ask,
    () => {},
    () => hasStream,
  );
  return { realm, progress };
}
