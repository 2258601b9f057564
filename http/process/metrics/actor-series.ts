/** What the actors of this node know: queues, writers, replicas. */
import type { Registry } from "prom-client";
import type { QueueCensus } from "../../../actors/event-queue/census.ts";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import type { Homes } from "../homes/homes.ts";
import { gauge } from "./read-series.ts";

/** Longer than it takes to make the text once. */
const censusKeptMs = 100;

type LoadedRealm = ReturnType<Homes["realms"]>[number];

/** Several series come from one look at the queues of an organization, of which there may be a hundred thousand. */
function censusTaker(): (realm: LoadedRealm) => QueueCensus {
  let taken = new WeakMap<LoadedRealm, QueueCensus>();
  let until = 0;
  return (realm) => {
    const now = performance.now();
    if (now > until) [taken, until] = [new WeakMap(), now + censusKeptMs];
    const known = taken.get(realm) ?? memoryOf(realm, eventQueues).census();
    taken.set(realm, known);
    return known;
  };
}

/** Adds the series that are read from the actors when somebody asks. */
export function observeActors(registry: Registry, system: Homes): void {
  const add = (name: string, help: string, read: () => number) => gauge({ registry, name, help, read });
  const sum = (read: (realm: LoadedRealm) => number) =>
    system.realms().reduce((total, realm) => total + read(realm), 0);
  const most = (read: (realm: LoadedRealm) => number) => Math.max(0, ...system.realms().map(read));
  const census = censusTaker();
  const queues = (of: "live" | "idle" | "parked" | "streams") => () => sum((realm) => census(realm)[of]);
  add("parley_queues_live", "Event queues that are polled", queues("live"));
  add("parley_queues_idle", "Event queues that nobody polls", queues("idle"));
  add("parley_polls_parked", "Polls that wait, and streams that are open", queues("parked"));
  add("parley_streams_open", "Streams of events that are open", queues("streams"));
  add(
    "parley_queue_unpolled_seconds",
    "For how long the event queue was not polled that waits longest for its client",
    () => most((realm) => census(realm).unpolledSecs),
  );
  add("parley_queue_backlog_events", "Events that wait in the fullest event queue", () =>
    most((realm) => census(realm).backlog),
  );
  add("parley_writer_mailbox_depth", "Commands that wait for a writer", () => sum((realm) => realm.mailboxDepth));
  add(
    "parley_replica_lag_positions",
    "How many places in the log the replica furthest behind is behind its writer, as told once a second",
    () => most((realm) => realm.lag().positions),
  );
  add(
    "parley_replica_lag_ms",
    "Milliseconds from a commit to its coming here, or since when a replica is behind: the longest of all replicas",
    () => most((realm) => realm.lag().ms),
  );
  add("parley_forwards_under_way", "Commands handed to other nodes that were not answered yet", () =>
    system.systems.reduce((sum, { environment }) => sum + environment.coordination.forwardsUnderWay, 0),
  );
  add("parley_realms_loaded", "Organizations loaded on this node", () => system.realms().length);
  add("parley_realms_written", "Organizations this node writes", () => sum((realm) => (realm.isWriter ? 1 : 0)));
}
