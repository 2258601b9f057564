import { beforeEach, describe, expect, it } from "vitest";
import { TakenCommands } from "../../../actors/cluster/taken-commands.ts";

let now: number;
let commands: TakenCommands;
beforeEach(() => {
  now = 1_000_000;
  commands = new TakenCommands(() => now);
});

describe("commands of other nodes", () => {
  it("are new once, in whatever order they come, for each node", () => {
    const first = commands.take("one", 2)!;
    expect(first.isNew).toBe(true);
    expect(commands.take("one", 1)?.isNew).toBe(true);
    expect(commands.take("other", 2)?.isNew).toBe(true);
    expect(commands.take("one", 2)).toEqual({ taken: first.taken, isNew: false });
  });

  it("are remembered with their answers for a minute; then nobody knows, but they are never new again", () => {
    const answer = { kind: "refused", id: 7 } as const;
    commands.take("one", 7)!.taken.answer = answer;
    now += 59_000;
    expect(commands.take("one", 7)?.taken.answer).toBe(answer);
    now += 2000;
    expect(commands.take("one", 7)).toBeUndefined();
    expect(commands.take("one", 6)).toBeUndefined();
    expect(commands.take("one", 8)?.isNew).toBe(true);
  });

  it("are forgotten, the oldest first, when there are very many of one node", () => {
    for (let id = 1; id <= 20_001; id++) commands.take("one", id);
    expect(commands.take("one", 1)).toBeUndefined();
    expect(commands.take("one", 2)?.isNew).toBe(false);
  });
});
