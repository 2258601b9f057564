/**
 * Life of an account, a person's or a bot's. Pure: it decides, `states.ts` acts.
 *
 * | Rule | In           | Event              | When                            | Does                  | Then         |
 * | AC1  | stub, active | deactivation.asked | their own, their bot; by admins | endBots, close        | deactivated  |
 * |      |              |                    | of an owner: by an owner        |                       |              |
 * | AC2  | not deleted  | deactivation.asked | by anybody else                 | refuse notOwner or    |              |
 * |      |              |                    |                                 | notAdministrator      |              |
 * | AC3  | deactivated  | deactivation.asked |                                 | refuse isDeactivated  |              |
 * | AC4  | stub, active | deactivation.asked | the only owner, or only person  | refuse isOnlyOwner    |              |
 * |      |              | or erasure.asked   |                                 | or isOnlyUser         |              |
 * | AC5  | stub, active | owner.left         | the owner of a bot is no more   | close                 | deactivated  |
 * | AC6  | stub, active | erasure.asked      | by an owner                     | endBots, close, erase | deleted      |
 * | AC7  | deactivated  | erasure.asked      | by an owner                     | erase                 | deleted      |
 * | AC8  | not deleted  | erasure.asked      | by anybody else                 | refuse notOwner       |              |
 * | AC9  | deactivated  | return.asked       | by admins; of an owner: by one  | reopen                | active, stub |
 * | AC10 | deactivated  | return.asked       | so; a bot without an owner      | adopt, reopen         | active       |
 * | AC11 | deactivated  | return.asked       | the same, but a bot asks        | refuse hasNoOwner     |              |
 * | AC12 | any          | return.asked       | by anybody else                 | refuse notOwner or    |              |
 * |      |              |                    |                                 | notAdministrator      |              |
 * | AC13 | stub         | login.noted        | the first                       | join, claim, regroup  | active       |
 * | AC14 | active       | login.noted        | the first                       | join, regroup         | active       |
 * | AC15 | deleted      | any asked          |                                 | refuse noSuchUser     |              |
 *
 * A stub was imported, and nobody has logged in to it yet; it comes back as a stub. An account that does not exist is
 * like a deleted one. An account that is active is not brought back: nothing happens.
 * https://zulip.com/help/deactivate-or-reactivate-a-user
 */
import { setup } from "xstate";
import { type ApiError, badRequest, errors, mustBeAdmin, mustBeOwner } from "../errors.ts";
import { refuse, stepper, typeOf } from "../lifecycle.ts";

export type AccountRefusal =
  | "notAdministrator"
  | "notOwner"
  | "isDeactivated"
  | "isOnlyOwner"
  | "isOnlyUser"
  | "hasNoOwner"
  | "noSuchUser";

/** What the organization would lack without the account. */
type Only = { isOnlyOwner: boolean; isOnlyUser: boolean };

export type AccountEvent =
  /** `mayManage`: it is their own, their bot, or they are an administrator. `ofOwner`: of an organization owner. */
  | ({ type: "deactivation.asked"; mayManage: boolean; byOwner: boolean; ofOwner: boolean } & Only)
  | ({ type: "erasure.asked"; byOwner: boolean } & Only)
  | { type: "owner.left" }
  | {
      type: "return.asked";
      byAdmin: boolean;
      byOwner: boolean;
      byBot: boolean;
      ofOwner: boolean;
      /** Whether nobody has ever logged in to it. */
      isStub: boolean;
      /** Whether it is a bot whose owner is not active. */
      isOrphan: boolean;
    }
  | { type: "login.noted"; isFirst: boolean };

/** Effects: a name and no body. The shell supplies them. */
const actions = {
  endBots: () => {},
  close: () => {},
  erase: () => {},
  adopt: () => {},
  reopen: () => {},
  join: () => {},
  claim: () => {},
  regroup: () => {},
};
export type AccountAction = keyof typeof actions;

const notAdministrator = { guard: "notAdministrator", ...refuse("notAdministrator") } as const;
const notOwner = { guard: "notOwner", ...refuse("notOwner") } as const;
const isOnlyOwner = { guard: "isOnlyOwner", ...refuse("isOnlyOwner") } as const;
const isOnlyUser = { guard: "isOnlyUser", ...refuse("isOnlyUser") } as const;

/** Transitions that a stub shares with an active account. */
const open = {
  "deactivation.asked": [
    notAdministrator,
    notOwner,
    isOnlyOwner,
    isOnlyUser,
    { target: "deactivated", actions: ["endBots", "close"] },
  ],
  "erasure.asked": [notOwner, isOnlyOwner, isOnlyUser, { target: "deleted", actions: ["endBots", "close", "erase"] }],
  "owner.left": { target: "deactivated", actions: "close" },
  "return.asked": [notAdministrator, notOwner],
} as const;

export const accountMachine = setup({
  types: { events: typeOf<AccountEvent>() },
  guards: {
    notAdministrator: ({ event }) =>
      (event.type === "deactivation.asked" && !event.mayManage) || (event.type === "return.asked" && !event.byAdmin),
    notOwner: ({ event }) =>
      event.type === "erasure.asked"
        ? !event.byOwner
        : (event.type === "deactivation.asked" || event.type === "return.asked") && event.ofOwner && !event.byOwner,
    isOnlyOwner: ({ event }) => "isOnlyOwner" in event && event.isOnlyOwner,
    isOnlyUser: ({ event }) => "isOnlyUser" in event && event.isOnlyUser,
    isOrphanAndByBot: ({ event }) => event.type === "return.asked" && event.isOrphan && event.byBot,
    isOrphan: ({ event }) => event.type === "return.asked" && event.isOrphan,
    isStub: ({ event }) => event.type === "return.asked" && event.isStub,
    isFirst: ({ event }) => event.type === "login.noted" && event.isFirst,
  },
  actions: { ...actions, refuse: (_, _why: { reason: AccountRefusal }) => {} },
}).createMachine({
  id: "account",
  initial: "active",
  states: {
    stub: {
      on: {
        ...open,
        "login.noted": { guard: "isFirst", target: "active", actions: ["join", "claim", "regroup"] },
      },
    },
    active: { on: { ...open, "login.noted": { guard: "isFirst", target: "active", actions: ["join", "regroup"] } } },
    deactivated: {
      on: {
        "deactivation.asked": [notAdministrator, notOwner, refuse("isDeactivated")],
        "erasure.asked": [notOwner, { target: "deleted", actions: "erase" }],
        "return.asked": [
          notAdministrator,
          notOwner,
          { guard: "isOrphanAndByBot", ...refuse("hasNoOwner") },
          { guard: "isOrphan", target: "active", actions: ["adopt", "reopen"] },
          { guard: "isStub", target: "stub", actions: "reopen" },
          { target: "active", actions: "reopen" },
        ],
      },
    },
    deleted: {
      on: {
        "deactivation.asked": refuse("noSuchUser"),
        "erasure.asked": refuse("noSuchUser"),
        "return.asked": [notAdministrator, refuse("noSuchUser")],
      },
    },
  },
});

export const stepAccount = stepper<typeof accountMachine, AccountAction, AccountRefusal>(accountMachine);
export type AccountStep = ReturnType<typeof stepAccount>;
export type AccountState = AccountStep["state"];

/** What the caller is told, by the machine's reason. */
export const accountRefusals: Record<AccountRefusal, () => ApiError> = {
  notAdministrator: mustBeAdmin,
  notOwner: mustBeOwner,
  isDeactivated: () => badRequest("User is deactivated"),
  isOnlyOwner: () => errors.CANNOT_DEACTIVATE_LAST_USER({ is_last_owner: true, entity: "organization owner" }),
  isOnlyUser: () => errors.CANNOT_DEACTIVATE_LAST_USER({ is_last_owner: false, entity: "user" }),
  hasNoOwner: () => badRequest("The owner of this bot has left; a person has to bring it back."),
  noSuchUser: () => badRequest("No such user"),
};
