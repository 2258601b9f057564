/** What an organization's owners see of how it runs. Nothing in it is of other organizations, or of the machine. */
import { array, boolean, enums, type Infer, nullable, number, object, string } from "superstruct";
import { findUploadSpaceUsed } from "../../storage/messages/attachments.ts";
import { findWaiting } from "../../storage/operations.ts";
import type { RealmReader } from "../realm/reader.ts";
import { described } from "../shape.ts";

export const outgoingQueues = ["mail", "push", "webhook"] as const;

export const operations = {
  nodes: described(
    array(
      object({
        name: described(string(), "Its place in the order in which nodes started, not its address."),
        is_writer: described(boolean(), "Whether it writes for the organization."),
        lag_ms: described(number(), "How far it is behind the node that writes, in milliseconds."),
        queues: described(number(), "Event queues of the organization's clients there."),
      }),
    ),
    "The nodes that serve the organization.",
  ),
  outgoing: described(
    array(
      object({
        queue: described(enums(outgoingQueues), "What is sent: emails, notifications, or calls of outgoing webhooks."),
        waiting: described(number(), "How many wait."),
        retried: described(number(), "Of them, those that were tried in vain at least once."),
        oldest: described(nullable(number()), "Since when the oldest waits, in UNIX seconds."),
      }),
    ),
    "What waits to be mailed, pushed or posted for the organization.",
  ),
  upload_bytes: described(number(), "Bytes of all its uploads."),
};

export type Operations = { [name in keyof typeof operations]: Infer<(typeof operations)[name]> };

/** @param queues that this node holds */
export async function readOperations(realm: RealmReader, queues: number): Promise<Operations> {
  const { database, environment, id } = realm;
  const [nodes, outgoing, upload_bytes] = await Promise.all([
    environment.coordination.nodes().catch(() => []),
    findWaiting(database.sql, id),
    findUploadSpaceUsed(database.sql, id),
  ]);
  const serving = [...nodes]
    .sort((one, other) => one.startedAt - other.startedAt)
    .map(({ realms }, place) => ({ place, here: realms.find((each) => each.id === id) }));
  const told = serving.flatMap(({ place, here }) =>
    here ? [{ name: `node ${place + 1}`, is_writer: here.isWriter, lag_ms: here.lagMs, queues: here.queues }] : [],
  );
  // One process is no node of anything.
  const alone = { name: "node 1", is_writer: true, lag_ms: 0, queues };
  return { nodes: told.length > 0 ? told : [alone], outgoing, upload_bytes };
}
