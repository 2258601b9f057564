/** Whether a command that another node hands over may be done for whom it names. */
import { describe, expect, it } from "vitest";
import { callerOf, checkCaller } from "../../../actors/realm/caller.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";

const account = (id: number, more: object = {}) => [id, { id, is_active: true, api_key_version: 1, ...more }] as const;
const stateOf = (...accounts: (readonly [number, object])[]): RealmState =>
  ({ users: new Map(accounts), row: { is_deactivated: false } }) as unknown as RealmState;

describe("a command that was handed over", () => {
  const state = stateOf(account(1), account(2));
  const by = callerOf(state, { actorId: 1, userId: 2 });

  it("names as its caller who does it, not whom it is done to", () => {
    expect(by).toEqual({ userId: 1, keyVersion: 1 });
    expect(callerOf(state, { userId: 2 })).toEqual({ userId: 2, keyVersion: 1 });
    expect(callerOf(state, {})).toBeUndefined();
  });

  it("is done for that caller, and for nobody else or nobody at all", () => {
    expect(() => checkCaller(state, { actorId: 1, userId: 2 }, by)).not.toThrow();
    expect(() => checkCaller(state, { actorId: 2 }, by)).toThrow("Invalid API key");
    expect(() => checkCaller(state, { actorId: 1 }, undefined)).toThrow("Invalid API key");
    expect(() => checkCaller(state, {}, by)).toThrow("Invalid API key");
    expect(() => checkCaller(state, {}, undefined)).not.toThrow();
  });

  it("is not done for an account that was deactivated or got another key meanwhile", () => {
    const args = { actorId: 1 };
    expect(() => checkCaller(stateOf(account(1, { is_active: false })), args, by)).toThrow("Account is deactivated");
    expect(() => checkCaller(stateOf(account(1, { api_key_version: 2 })), args, by)).toThrow("Invalid API key");
    expect(() => checkCaller(stateOf(account(2)), args, by)).toThrow("Invalid API key");
  });

  it("is not done in an organization that was deactivated meanwhile", () => {
    const closed = { ...state, row: { is_deactivated: true } } as unknown as RealmState;
    expect(() => checkCaller(closed, { actorId: 1 }, by)).toThrow(/deactivated/);
  });
});
