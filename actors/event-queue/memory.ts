import { defineMemory } from "../realm/memory.ts";
import { EventQueues } from "./event-queues.ts";

/** The queues that this node holds. */
export const eventQueues = defineMemory<EventQueues>({
  name: "event queues",
  load: (realm) => new EventQueues(realm),
  foresee: (queues, entry) => queues.foresee(entry),
  apply: (queues, entry) => queues.apply(entry),
  claimed: (queues, queueId, claim) => queues.letGo(queueId, claim),
  clients: (queues) => queues.size,
  stop: (queues) => queues.stop(),
  close: (queues) => void queues.close(),
});
