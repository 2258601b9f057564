/** A view is drawn again when it is given another object: so what an event changes is another one afterwards. */
import { expect, test } from "vitest";
import { MODERN } from "../../../support/convergence/client-profile.ts";
import { applyEvent, type RegisterState } from "../../../support/convergence/client-state.ts";
import { sampleEvent } from "../../../support/convergence/sample-events.ts";
import { sampleState } from "../../../support/convergence/sample-state.ts";

const lists = {
  "realm_user/update": ["realm_users", "realm_non_active_users"],
  "stream/update": ["subscriptions", "unsubscribed", "never_subscribed", "streams"],
  "subscription/update": ["subscriptions", "unsubscribed"],
  "subscription/peer_add": ["subscriptions", "unsubscribed", "never_subscribed"],
  "user_group/update": ["realm_user_groups"],
  "user_group/add_members": ["realm_user_groups"],
  "user_group/remove_members": ["realm_user_groups"],
} as const;

const recordsOf = (state: RegisterState, names: readonly string[]): unknown[] =>
  names.flatMap((name) => (state[name] as unknown[] | undefined) ?? []);

test.each(Object.entries(lists))("%s: the record is another object, and the others are the same", (kind, names) => {
  const state = sampleState();
  const before = recordsOf(state, names);
  const texts = new Map(before.map((record) => [record, JSON.stringify(record)]));
  applyEvent(state, sampleEvent(kind), MODERN);
  const after = recordsOf(state, names);
  expect(after.some((record) => !texts.has(record))).toBe(true);
  for (const record of after) if (texts.has(record)) expect(JSON.stringify(record)).toBe(texts.get(record));
});
