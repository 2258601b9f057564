/**
 * Life of a person's codes by time, and what holds of their second factor as a whole. Pure: it decides,
 * `changes/second-factors.ts` acts. Passkeys have a machine of their own beside this one.
 *
 * | Rule | In             | Event               | When                    | Does               | Then      |
 * | SF1  | off, enrolling | enrolment.begun     |                         | keepSecret         | enrolling |
 * | SF2  | on             | enrolment.begun     | it is ended first       | refuse isOn        |           |
 * | SF3  | enrolling      | enrolment.confirmed | its code was shown      | turnOn, makeCodes  | on        |
 * | SF4  | enrolling      | enrolment.confirmed | another code was shown  | refuse wrongCode   |           |
 * | SF5  | off, on        | enrolment.confirmed |                         | refuse notBegun    |           |
 * | SF6  | on             | codes.asked         |                         | makeCodes          | on        |
 * | SF7  | off, enrolling | codes.asked         |                         | refuse isOff       |           |
 * | SF8  | enrolling, on  | ended               | by its person or admins | clear              | off       |
 * | SF9  | off            | ended               |                         | refuse isOff       |           |
 * | SF10 | on             | ended               | by who has to have one  | refuse isRequired  |           |
 * | SF11 | off, enrolling | codes.asked         | with a passkey          | makeCodes          |           |
 * | SF12 | off, enrolling | ended               | with a passkey          | clear              | off       |
 * | SF13 | off, enrolling | ended               | with a passkey, by who has to have one | refuse isRequired | |
 * | SF14 | on             | totp.ended          | with a passkey          | dropTotp           | off       |
 * | SF15 | any            | totp.ended          | otherwise               | refuse isOnly      |           |
 *
 * `ended` ends all of it, passkeys and recovery codes too. A log-in asks for a code only in `on`: whoever never
 * finishes setting it up is never locked out.
 */
import { setup } from "xstate";
import { type ApiError, badRequest } from "../../errors.ts";
import { refuse, stepper, typeOf } from "../../lifecycle.ts";

export type SecondFactorRefusal = "isOn" | "isOff" | "isRequired" | "isOnly" | "wrongCode" | "notBegun";

export type SecondFactorEvent =
  | { type: "enrolment.begun" }
  | { type: "enrolment.confirmed"; isRight: boolean }
  | { type: "codes.asked"; hasPasskeys: boolean }
  | { type: "totp.ended"; hasPasskeys: boolean }
  /** `isRequired`: its person asks, of whom the organization wants one. */
  | { type: "ended"; isRequired: boolean; hasPasskeys: boolean };

/** Effects: a name and no body. The shell supplies them. */
const actions = { keepSecret: () => {}, turnOn: () => {}, makeCodes: () => {}, dropTotp: () => {}, clear: () => {} };
export type SecondFactorAction = keyof typeof actions;

const begins = { target: "enrolling", actions: "keepSecret" } as const;
const ends = { target: "off", actions: "clear" } as const;
const codesWithPasskeys = [{ guard: "hasPasskeys", actions: "makeCodes" }, refuse("isOff")] as const;
const keptWithPasskeys = { guard: "isRequiredWithPasskeys", ...refuse("isRequired") } as const;

export const secondFactorMachine = setup({
  types: { events: typeOf<SecondFactorEvent>() },
  guards: {
    isRight: ({ event }) => event.type === "enrolment.confirmed" && event.isRight,
    isRequired: ({ event }) => event.type === "ended" && event.isRequired,
    isRequiredWithPasskeys: ({ event }) => event.type === "ended" && event.isRequired && event.hasPasskeys,
    hasPasskeys: ({ event }) => "hasPasskeys" in event && event.hasPasskeys,
  },
  actions: { ...actions, refuse: (_, _why: { reason: SecondFactorRefusal }) => {} },
}).createMachine({
  id: "secondFactor",
  initial: "off",
  states: {
    off: {
      on: {
        "enrolment.begun": begins,
        "enrolment.confirmed": refuse("notBegun"),
        "codes.asked": codesWithPasskeys,
        "totp.ended": refuse("isOnly"),
        ended: [keptWithPasskeys, { guard: "hasPasskeys", ...ends }, refuse("isOff")],
      },
    },
    enrolling: {
      on: {
        "enrolment.begun": begins,
        "enrolment.confirmed": [
          { guard: "isRight", target: "on", actions: ["turnOn", "makeCodes"] },
          refuse("wrongCode"),
        ],
        "codes.asked": codesWithPasskeys,
        "totp.ended": refuse("isOnly"),
        ended: [keptWithPasskeys, ends],
      },
    },
    on: {
      on: {
        "enrolment.begun": refuse("isOn"),
        "enrolment.confirmed": refuse("notBegun"),
        "codes.asked": { target: "on", actions: "makeCodes" },
        "totp.ended": [{ guard: "hasPasskeys", target: "off", actions: "dropTotp" }, refuse("isOnly")],
        ended: [{ guard: "isRequired", ...refuse("isRequired") }, ends],
      },
    },
  },
});

export const stepSecondFactor = stepper<typeof secondFactorMachine, SecondFactorAction, SecondFactorRefusal>(
  secondFactorMachine,
);
export type SecondFactorState = ReturnType<typeof stepSecondFactor>["state"];

/** What the caller is told, by the machine's reason. */
export const secondFactorRefusals: Record<SecondFactorRefusal, () => ApiError> = {
  isOn: () => badRequest("An authenticator application is set up: end it before you set up another one."),
  isOff: () => badRequest("No second factor is on."),
  isRequired: () => badRequest("Your organization requires a second factor of you."),
  isOnly: () => badRequest("Codes are your only second factor: turn the second factor off instead."),
  wrongCode: () => badRequest("This is not the code that your application shows now."),
  notBegun: () => badRequest("Nothing is being set up: begin anew."),
};
