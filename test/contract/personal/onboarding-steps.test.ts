import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [mia] = server.people("Mia Member");

describe("and 8, onboarding_steps", () => {
  it("come with the address of a film, of which there is none", async () => {
    const state = await mia.client.register({ fetch_event_types: ["onboarding_steps"], event_types: [] });
    expect(state["navigation_tour_video_url"]).toBeNull();
  });

  it("a step that was taken is listed no more, for that person alone, and only their queues are told", async () => {
    const before = await steps(mia);
    const { name } = before[0]!;
    const seen = await assertConverges({
      observers: [mia.client, owner.client],
      act: async () => void expectSuccess(await finish(name)),
    });
    expect(await steps(mia)).toEqual(before.slice(1));
    expect(await steps(owner)).toEqual(before);
    expect(seen.eventsOf(mia.client)).toMatchObject([{ type: "onboarding_steps", onboarding_steps: before.slice(1) }]);
    expect(seen.eventsOf(owner.client)).toEqual([]);
  });

  it("each is {type, name}; the same step again is no error and no event", async () => {
    for (const step of await steps(owner))
      expect(step).toEqual({ type: "one_time_notice", name: expect.stringMatching(/^[a-z_]+$/) });
    const { name } = (await steps(owner))[0]!;
    expectSuccess(await finish(name, owner));
    const again = await assertConverges({
      observers: [owner.client],
      act: async () => void expectSuccess(await finish(name, owner)),
    });
    expect(again.eventsOf(owner.client)).toEqual([]);
  });

  it("an unknown or missing step is refused", async () => {
    for (const name of ["nothing", "", "a\0b", "x".repeat(100_000)])
      expectError(await finish(name), 400, "BAD_REQUEST");
    expectError(await mia.client.post("/users/me/onboarding_steps"), 400, "REQUEST_VARIABLE_MISSING");
  });
});

const steps = async (person: Person) => {
  const state = await person.client.register({ fetch_event_types: ["onboarding_steps"], event_types: [] });
  return state["onboarding_steps"] as { type: string; name: string }[];
};
const finish = (onboarding_step: string, person = mia) =>
  person.client.post("/users/me/onboarding_steps", { onboarding_step });
