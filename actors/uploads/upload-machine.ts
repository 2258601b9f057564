/**
 * Life of an uploaded file. Pure: it decides, `uploads.ts` acts.
 *
 * | Rule | In                 | Event            | When                              | Does          | Then      |
 * | UP1  | unclaimed, claimed | message.linked   | its sender may read the file      | link, show    | claimed   |
 * | UP2  | unclaimed, claimed | message.linked   | they may not: it is only a text   |               |           |
 * | UP3  | claimed            | message.unlinked | other messages still link to it   | unlink, show  | claimed   |
 * | UP4  | claimed            | message.unlinked | it was the last                   | unlink, show  | unclaimed |
 * | UP5  | unclaimed, claimed | deletion.asked   | by whose it is                    | remove        | deleted   |
 * | UP6  | any                | deletion.asked   | by anybody else, or it is deleted | refuse absent |           |
 * | UP7  | unclaimed          | retention.over   |                                   | remove        | deleted   |
 * | UP8  | claimed, deleted   | retention.over   | a message names it again, or gone |               |           |
 * | UP9  | unclaimed, claimed | infection.found  |                                   | remove        | deleted   |
 *
 * A message that is deleted, or edited so that it says nothing of the file any more, is unlinked. Nobody but its owner
 * reads a file that is unclaimed. https://zulip.com/help/manage-your-uploaded-files
 */
import { setup } from "xstate";
import type { MessageId } from "../../storage/ids.ts";
import { type ApiError, badRequest } from "../errors.ts";
import { refuse, stepper, typeOf } from "../lifecycle.ts";

export type UploadRefusal = "absent";

export type UploadEvent =
  | { type: "message.linked"; maySenderRead: boolean }
  | { type: "message.unlinked"; isLast: boolean }
  | { type: "deletion.asked"; byOwner: boolean }
  | { type: "retention.over" }
  | { type: "infection.found" };

/** Effects: a name and no body. The shell supplies them. */
const actions = { link: () => {}, unlink: () => {}, show: () => {}, remove: () => {} };
export type UploadAction = keyof typeof actions;

/** Steps of a file that do not depend on links. */
const stored = {
  "message.linked": { guard: "maySenderRead", target: "claimed", actions: ["link", "show"] },
  "deletion.asked": [
    { guard: "isStranger", ...refuse("absent") },
    { target: "deleted", actions: "remove" },
  ],
  "infection.found": { target: "deleted", actions: "remove" },
} as const;

export const uploadMachine = setup({
  types: { events: typeOf<UploadEvent>() },
  guards: {
    maySenderRead: ({ event }) => event.type === "message.linked" && event.maySenderRead,
    isLast: ({ event }) => event.type === "message.unlinked" && event.isLast,
    isStranger: ({ event }) => event.type === "deletion.asked" && !event.byOwner,
  },
  actions: { ...actions, refuse: (_, _why: { reason: UploadRefusal }) => {} },
}).createMachine({
  id: "upload",
  initial: "unclaimed",
  states: {
    unclaimed: { on: { ...stored, "retention.over": { target: "deleted", actions: "remove" } } },
    claimed: {
      on: {
        ...stored,
        "message.unlinked": [
          { guard: "isLast", target: "unclaimed", actions: ["unlink", "show"] },
          { target: "claimed", actions: ["unlink", "show"] },
        ],
      },
    },
    deleted: { on: { "deletion.asked": refuse("absent") } },
  },
});

export const stepUpload = stepper<typeof uploadMachine, UploadAction, UploadRefusal>(uploadMachine);
export type UploadStep = ReturnType<typeof stepUpload>;

/** The error for each reason of the machine. */
export const uploadRefusals: Record<UploadRefusal, () => ApiError> = {
  absent: () => badRequest("Invalid attachment"),
};

/** The state of a file. One that does not exist counts as deleted. */
export function uploadState(row: { message_ids: readonly MessageId[] } | undefined): UploadStep["state"] {
  if (!row) return "deleted";
  return row.message_ids.length > 0 ? "claimed" : "unclaimed";
}
