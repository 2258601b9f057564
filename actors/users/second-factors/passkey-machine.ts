/**
 * Life of a passkey. Pure: it decides; `changes/passkeys.ts` and `passkeys.ts` here act.
 *
 * | Rule | In              | Event      | When                                     | Does             | Then    |
 * | PK1  | offered         | registered | its person has a second factor           | keep             | active  |
 * | PK2  | offered         | registered | it is their first                        | keep, makeCodes  | active  |
 * | PK3  | offered         | registered | somebody has registered it               | refuse isKnown   |         |
 * | PK4  | offered         | registered | its person has 20                        | refuse isFull    |         |
 * | PK5  | active          | shown      | it counted on, or does not count         | noteUse          | active  |
 * | PK6  | active          | shown      | it counted no further: there is a copy   | block            | blocked |
 * | PK7  | blocked         | shown      |                                          | refuse isBlocked |         |
 * | PK8  | active, blocked | ended      | another second factor is left            | remove           | ended   |
 * | PK9  | active, blocked | ended      | none is left                             | clear            | ended   |
 * | PK10 | active, blocked | ended      | none is left, and one has to be          | refuse isRequired |        |
 *
 * A blocked one still counts as a second factor: whoever made a copy must not turn the second factor off by it.
 */
import { setup } from "xstate";
import { type ApiError, badRequest } from "../../errors.ts";
import { refuse, stepper, typeOf } from "../../lifecycle.ts";

/** More than anybody has devices. */
export const maxPasskeys = 20;

export type PasskeyRefusal = "isKnown" | "isFull" | "isBlocked" | "isRequired";

export type PasskeyEvent =
  | { type: "registered"; isFirst: boolean; isKnown: boolean; isFull: boolean }
  | { type: "shown"; isCopy: boolean }
  | { type: "ended"; isLast: boolean; isRequired: boolean };

/** Effects: a name and no body. The shell supplies them. */
const actions = {
  keep: () => {},
  makeCodes: () => {},
  noteUse: () => {},
  block: () => {},
  remove: () => {},
  clear: () => {},
};
export type PasskeyAction = keyof typeof actions;

const ended = [
  { guard: "isRequired", ...refuse("isRequired") },
  { guard: "isLast", target: "ended", actions: "clear" },
  { target: "ended", actions: "remove" },
] as const;

export const passkeyMachine = setup({
  types: { events: typeOf<PasskeyEvent>() },
  guards: {
    isKnown: ({ event }) => event.type === "registered" && event.isKnown,
    isFull: ({ event }) => event.type === "registered" && event.isFull,
    isFirst: ({ event }) => event.type === "registered" && event.isFirst,
    isCopy: ({ event }) => event.type === "shown" && event.isCopy,
    isRequired: ({ event }) => event.type === "ended" && event.isLast && event.isRequired,
    isLast: ({ event }) => event.type === "ended" && event.isLast,
  },
  actions: { ...actions, refuse: (_, _why: { reason: PasskeyRefusal }) => {} },
}).createMachine({
  id: "passkey",
  initial: "offered",
  states: {
    offered: {
      on: {
        registered: [
          { guard: "isKnown", ...refuse("isKnown") },
          { guard: "isFull", ...refuse("isFull") },
          { guard: "isFirst", target: "active", actions: ["keep", "makeCodes"] },
          { target: "active", actions: "keep" },
        ],
      },
    },
    active: {
      on: {
        shown: [
          { guard: "isCopy", target: "blocked", actions: "block" },
          { target: "active", actions: "noteUse" },
        ],
        ended,
      },
    },
    blocked: { on: { shown: refuse("isBlocked"), ended } },
    ended: { type: "final" },
  },
});

export const stepPasskey = stepper<typeof passkeyMachine, PasskeyAction, PasskeyRefusal>(passkeyMachine);
export type PasskeyState = ReturnType<typeof stepPasskey>["state"];

/** What the caller is told, by the machine's reason. */
export const passkeyRefusals: Record<PasskeyRefusal, () => ApiError> = {
  isKnown: () => badRequest("This passkey is registered already."),
  isFull: () => badRequest(`You can have at most ${maxPasskeys} passkeys.`),
  isBlocked: () =>
    badRequest("This passkey is blocked: it seems that somebody has a copy. Log in in another way, and remove it."),
  isRequired: () => badRequest("Your organization requires a second factor of you."),
};
