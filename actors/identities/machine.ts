/**
 * Who somebody at a provider of identities is here. An identity is named by its provider and the provider's name for
 * the person. An address decides only which account is asked about, and never opens one. Pure: it decides,
 * `identities.ts` acts.
 *
 * | Rule | In                | Event       | When                                  | Does                 | Then     |
 * | ---- | ----------------- | ----------- | ------------------------------------- | -------------------- | -------- |
 * | ID1  | linked            | person.came | its account is active                 | logIn                | linked   |
 * | ID2  | linked            | person.came | its account is deactivated            | refuse isDeactivated |          |
 * | ID3  | not linked        | person.came | an account has their known address    | ask                  | pending  |
 * | ID4  | not linked        | person.came | a deactivated account has it          | refuse isDeactivated |          |
 * | ID5  | not linked        | person.came | none has it, and they may join        | join, logIn          | linked   |
 * | ID6  | not linked        | person.came | none has it, and they may not join    | refuse isUnknown     |          |
 * | ID7  | not linked        | proof.given | the password of an active account     | link                 | linked   |
 * | ID8  | pending           | proof.given | the link that was sent to its account | link                 | linked   |
 * | ID9  | pending           | proof.given | an administrator; of owners: an owner | link                 | linked   |
 * | ID10 | unknown, unlinked | proof.given | by a link or an administrator         | refuse isNotPending  |          |
 * | ID11 | linked            | proof.given |                                       | refuse isLinked      |          |
 * | ID12 | linked, pending   | end.asked   | by its person or an administrator     |                      | unlinked |
 * | ID13 | unknown, unlinked | end.asked   |                                       | refuse isNotLinked   |          |
 *
 * Not linked is one that is unknown, pending or unlinked.
 */
import { setup } from "xstate";
import { type ApiError, badRequest, errors, notFound } from "../errors.ts";
import { refuse, stepper, typeOf } from "../lifecycle.ts";

type IdentityRefusal = "isDeactivated" | "isUnknown" | "isNotPending" | "isLinked" | "isNotLinked";

type IdentityEvent =
  /** `holder` is the account that they are linked with, or else the one that has their confirmed address. */
  | { type: "person.came"; holder: "none" | "active" | "deactivated"; mayJoin: boolean }
  | { type: "proof.given"; by: Proof }
  | { type: "end.asked" };

/** By what an account is known to be the person's. */
export type Proof = "password" | "mail" | "administrator";

/** Effects: a name and no body. The shell supplies them. */
const actions = { ask: () => {}, join: () => {}, link: () => {}, logIn: () => {} };
type IdentityAction = keyof typeof actions;

const unlinkedComes = [
  { guard: "isOfActive", target: "pending", actions: "ask" },
  { guard: "isOfDeactivated", ...refuse("isDeactivated") },
  { guard: "mayJoin", target: "linked", actions: ["join", "logIn"] },
  refuse("isUnknown"),
] as const;
const unlinkedProves = [{ guard: "isByPassword", target: "linked", actions: "link" }, refuse("isNotPending")] as const;
const unlinked = {
  on: { "person.came": unlinkedComes, "proof.given": unlinkedProves, "end.asked": refuse("isNotLinked") },
} as const;

export const identityMachine = setup({
  types: { events: typeOf<IdentityEvent>() },
  guards: {
    isOfActive: ({ event }) => event.type === "person.came" && event.holder === "active",
    isOfDeactivated: ({ event }) => event.type === "person.came" && event.holder === "deactivated",
    mayJoin: ({ event }) => event.type === "person.came" && event.mayJoin,
    isByPassword: ({ event }) => event.type === "proof.given" && event.by === "password",
  },
  actions: { ...actions, refuse: (_, _why: { reason: IdentityRefusal }) => {} },
}).createMachine({
  id: "identity",
  initial: "unknown",
  states: {
    unknown: unlinked,
    pending: {
      on: {
        "person.came": unlinkedComes,
        "proof.given": { target: "linked", actions: "link" },
        "end.asked": "unlinked",
      },
    },
    linked: {
      on: {
        "person.came": [{ guard: "isOfActive", actions: "logIn" }, refuse("isDeactivated")],
        "proof.given": refuse("isLinked"),
        "end.asked": "unlinked",
      },
    },
    unlinked,
  },
});

export const stepIdentity = stepper<typeof identityMachine, IdentityAction, IdentityRefusal>(identityMachine);

/** What whoever asked is told, by the machine's reason. */
export const identityRefusals: Record<IdentityRefusal, () => ApiError> = {
  isDeactivated: () => errors.USER_DEACTIVATED(),
  isUnknown: () => errors.AUTHENTICATION_FAILED("You have no account here that is linked with this log-in."),
  isNotPending: () => badRequest("Nobody waits for this to be linked."),
  isLinked: () => badRequest("This log-in is linked with an account already."),
  isNotLinked: () => notFound("Identity does not exist."),
};
