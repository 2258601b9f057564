/** What nouns make of a replica and keep. */
import { expect, it } from "vitest";
import { defineDerived, RealmState } from "../../../../actors/realm/state/state.ts";
import { newUserRow } from "../../../../actors/users/new-row.ts";
import type { LinkifierRow } from "../../../../storage/rows.ts";

const person = (id: number) =>
  newUserRow({ id, realm_id: 1, delivery_email: `${id}@x.test`, full_name: `${id}`, role: 400, date_joined: 0 });

const counted = () => {
  let made = 0;
  return defineDerived<{ number: number; people: number[] }>({
    make: ({ users }) => ({ number: ++made, people: [...users.keys()] }),
    tables: ["linkifiers"],
    userChanged: ({ people }, { id }) => void people.push(id),
  });
};

it("it is made when it is asked for, and kept while its tables stay as they are", () => {
  const state = new RealmState(1, "http://localhost", () => 0);
  const derived = counted();
  const first = state.derived(derived);
  state.applyRows("default_channels", [{ channel_id: 1, realm_id: 1 }]);
  expect(state.derived(derived)).toBe(first);
  const linkifier = { id: 1, realm_id: 1, order: 0 } as LinkifierRow;
  state.applyRows("linkifiers", [linkifier]);
  expect(state.derived(derived)).toMatchObject({ number: 2 });
});

it("it follows accounts instead of being made again", () => {
  const state = new RealmState(1, "http://localhost", () => 0);
  const derived = counted();
  state.applyRows("users", [person(1)]);
  const first = state.derived(derived);
  state.applyRows("users", [person(2)]);
  expect(state.derived(derived)).toBe(first);
  expect(first.people).toEqual([1, 2]);
});

it("it is forgotten with the caches", () => {
  const state = new RealmState(1, "http://localhost", () => 0);
  const derived = counted();
  const first = state.derived(derived);
  state.shed();
  expect(state.derived(derived)).not.toBe(first);
});
