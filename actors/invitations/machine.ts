/**
 * Life of an invitation. Pure: it decides, `invitations.ts` and `join.ts` act.
 *
 * | Rule | In      | Event           | When                                           | Does             | Then    |
 * | IN1  | open    | joined          | the link is for anybody                        |                  | open    |
 * | IN2  | open    | joined          | it was for one address                         | end              | used    |
 * | IN3  | open    | clock.expired   | its time is over                               | end              | expired |
 * | IN4  | open    | revoked         | its inviter or an administrator takes it back  | end              | revoked |
 * | IN5  | open    | resent          | its inviter or an administrator sends it again | renew            | open    |
 * | IN6  | revoked | revoked         |                                                | refuse isRevoked |         |
 * | IN7  | over    | revoked, resent | it is neither taken back nor sent again        | refuse isOver    |         |
 *
 * Over is one that is expired, revoked or used. https://zulip.com/help/invite-new-users
 */
import { setup } from "xstate";
import { type ApiError, badRequest } from "../errors.ts";
import { refuse, stepper, typeOf } from "../lifecycle.ts";

export type InvitationRefusal = "isRevoked" | "isOver";

export type InvitationEvent =
  | { type: "joined"; isReusable: boolean }
  | { type: "clock.expired" }
  | { type: "revoked" }
  | { type: "resent" };

/** Effects: a name and no body. The shell supplies them. */
const actions = { renew: () => {}, end: () => {} };
export type InvitationAction = keyof typeof actions;

const over = { on: { revoked: refuse("isOver"), resent: refuse("isOver") } };

export const invitationMachine = setup({
  types: { events: typeOf<InvitationEvent>() },
  guards: { isReusable: ({ event }) => event.type === "joined" && event.isReusable },
  actions: { ...actions, refuse: (_, _why: { reason: InvitationRefusal }) => {} },
}).createMachine({
  id: "invitation",
  initial: "open",
  states: {
    open: {
      on: {
        joined: [
          { guard: "isReusable", target: "open" },
          { target: "used", actions: "end" },
        ],
        "clock.expired": { target: "expired", actions: "end" },
        revoked: { target: "revoked", actions: "end" },
        resent: { target: "open", actions: "renew" },
      },
    },
    expired: over,
    revoked: { on: { ...over.on, revoked: refuse("isRevoked") } },
    used: over,
  },
});

export const stepInvitation = stepper<typeof invitationMachine, InvitationAction, InvitationRefusal>(invitationMachine);
export type InvitationStep = ReturnType<typeof stepInvitation>;
export type InvitationState = InvitationStep["state"];

/** What whoever asked is told, by the machine's reason. */
export const invitationRefusals: Record<InvitationRefusal, () => ApiError> = {
  isRevoked: () => badRequest("Invitation has already been revoked"),
  isOver: () => badRequest("No such invitation"),
};
