/** How the organization runs, for its owners. The Zulip API has no such endpoints. */
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { operations, outgoingQueues, readOperations } from "../../../actors/organization/operations.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { oneOf } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Parley's own. */
export const getOperations = route({
  doc: "README.md",
  summary:
    "Tells the organization's owners which nodes serve it, what waits to be sent for it, and what its uploads take.",
  auth: anyAccount,
  permission: "owner",
  params: {},
  returns: operations,
  handle: ({ realm }) => readOperations(realm, memoryOf(realm, eventQueues).size),
});

/** Parley's own. */
export const retryOutgoing = route({
  doc: "README.md",
  summary: "Has what waits for another attempt tried again now: emails, notifications or calls of outgoing webhooks.",
  auth: anyAccount,
  permission: "owner",
  params: { queue: oneOf(...outgoingQueues).describe("What is to be tried again.") },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("retryOutgoing", { userId: user.id, queue: params.queue }),
});
