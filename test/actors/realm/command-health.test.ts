import { expect, it } from "vitest";
import { errors } from "../../../actors/errors.ts";
import { CommandHealth } from "../../../actors/realm/commit/command-health.ts";
import { StorageUnavailable } from "../../../storage/postgres.ts";
import { until } from "../../support/time/until.ts";

const trouble = "no change is taken by the node that writes";

/** A command that ends when told. */
function open() {
  let [done, fail] = [(_: string) => {}, (_: Error) => {}];
  const promise = new Promise<string>((resolve, reject) => {
    [done, fail] = [resolve, reject];
  });
  return { run: () => promise, done, fail };
}

it("commands that wait in vain are trouble until one is answered, also when no other comes", async () => {
  const health = new CommandHealth(50);
  const stuck = open();
  const waiting = health.watch(stuck.run);
  expect(health.trouble(7)).toBeUndefined();
  await until("it to have waited for long", () => health.trouble(7) === trouble);
  stuck.fail(errors.SERVICE_UNAVAILABLE("nothing was done"));
  await expect(waiting).rejects.toThrow("nothing was done");
  expect(health.trouble(7)).toBe(trouble);
  await health.watch(() => Promise.resolve("done"));
  expect(health.trouble(7)).toBeUndefined();
});

it("a slow command is none while others are answered, refused, or parts of it are done", async () => {
  const health = new CommandHealth(200);
  const slow = open();
  const waiting = health.watch(slow.run);
  const others = [
    () => health.watch(() => Promise.resolve("done")),
    () => health.watch(() => Promise.reject(errors.BAD_REQUEST("no"))).catch(() => {}),
    () => Promise.resolve(health.answered()),
  ];
  for (const other of others) {
    await until("it to have waited for long", () => health.trouble(7) === trouble);
    await other();
    expect(health.trouble(7)).toBeUndefined();
  }
  slow.done("moved");
  expect(await waiting).toBe("moved");
  expect(health.trouble(7)).toBeUndefined();
});

it("a long command is none while its writer, elsewhere, stores parts of it", async () => {
  const health = new CommandHealth(50);
  const long = open();
  const waiting = health.watch(long.run);
  await until("it to have waited for long", () => health.trouble(7) === trouble);
  expect(health.trouble(8)).toBeUndefined();
  await until("nothing more to be stored", () => health.trouble(8) === trouble);
  long.done("moved");
  await waiting;
});

it("that the organization was loaded again is no answer", async () => {
  const health = new CommandHealth(50);
  const stuck = open();
  const waiting = health.watch(stuck.run);
  await until("it to have waited for long", () => health.trouble(undefined) === trouble);
  expect(health.trouble(7)).toBe(trouble);
  expect(health.trouble(undefined)).toBe(trouble);
  expect(health.trouble(7)).toBe(trouble);
  expect(health.trouble(8)).toBeUndefined();
  stuck.done("sent");
  await waiting;
});

it("that PostgreSQL is away is no answer", async () => {
  const health = new CommandHealth(50);
  const stuck = open();
  const waiting = health.watch(stuck.run);
  await until("it to have waited for long", () => health.trouble(7) === trouble);
  await health.watch(() => Promise.reject(new StorageUnavailable("away"))).catch(() => {});
  expect(health.trouble(7)).toBe(trouble);
  stuck.done("sent");
  await waiting;
});

it("a refusal that comes at once says nothing of the writer", async () => {
  const health = new CommandHealth(50);
  const loading = () => Promise.reject(errors.SERVICE_UNAVAILABLE("The organization is being loaded again."));
  await health.watch(loading).catch(() => {});
  expect(health.trouble(7)).toBeUndefined();
});

it("only a log that grows proves that changes are taken: a refusal does not", async () => {
  const health = new CommandHealth(50);
  await health.watch(() => Promise.reject(errors.BAD_REQUEST("no"))).catch(() => {});
  expect([health.trouble(7), health.hasStored(60_000)]).toEqual([undefined, false]);
  expect([health.trouble(8), health.hasStored(60_000)]).toEqual([undefined, true]);
});
