/** Every noun of the server, and what it adds to a realm. The core is handed these lists and knows no noun. */
import { commands } from "./commands.ts";
import { eventQueues } from "./event-queue/memory.ts";
import { historyMemory } from "./history/history.ts";
import { jobs } from "./jobs.ts";
import { conversations, sendLedger } from "./messages/memories.ts";
import { previewWishes } from "./messages/wanted-previews.ts";
import { readNewsOfRealm } from "./notifications/read-news.ts";
import { presenceMemory } from "./presence/memory.ts";
import type { Job } from "./realm/job.ts";
import type { Memory } from "./realm/memory.ts";
import type { Nouns } from "./realm/realm.ts";
import { knownTopics } from "./topics/known-topics.ts";

/**
 * What a node remembers of a realm beside the replica. All of them hear of an entry in this order. Event queues come
 * last, so whoever is told of an event finds it in everything else.
 */
const memories: readonly Memory<unknown>[] = [
  presenceMemory,
  knownTopics,
  conversations,
  sendLedger,
  historyMemory,
  readNewsOfRealm,
  previewWishes,
  eventQueues,
];

export const nouns: Nouns & { readonly jobs: readonly Job[] } = { commands, memories, jobs };
