/** A directory of 50,000 people is read some at a time: no turn of the event loop is long. */
import { beforeAll, describe, expect, it } from "vitest";
import { directoryOf, parseDirectories } from "../../../actors/identities/directories.ts";
import { everybodyIn } from "../../../actors/ldap/client.ts";
import { checkFilter } from "../../../actors/ldap/connection.ts";
import { lacksSlapd, testSlapd } from "../../support/ldap/slapd.ts";
import { longestTurnOf } from "../../support/time/cpu.ts";

const people = 50_000;
/** Milliseconds of processor time. */
const longestTurnMs = 100;

const slapd = testSlapd();

describe.skipIf(lacksSlapd !== "")(`a directory of ${people}${lacksSlapd}`, () => {
  beforeAll(() => slapd.fill(people));

  it("tells all of them, and holds the event loop for none of them", async () => {
    const directories = parseDirectories(JSON.stringify({ "*": slapd.setting }), checkFilter);
    const directory = directoryOf({ host: "any", server: { directories } } as never)!;
    const longestMs = await longestTurnOf(async () => {
      const there = await everybodyIn(directory, 0);
      expect(there.size).toBe(people);
    });
    expect(longestMs, "processor time of the longest turn, ms").toBeLessThan(longestTurnMs);
  });
});
