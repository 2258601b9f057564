/** The worlds that the model is explored in: who is there, what is asked, and what may go wrong how often. */
import type { World } from "./state.ts";

/** Small ones, of which every interleaving is tried up to a depth. */
export const worlds: Readonly<Record<string, World>> = {
  "two nodes that die, over a bus that loses and doubles": {
    nodes: 2,
    requests: [
      [0, "send"],
      [1, "command"],
    ],
    faults: { die: 1, start: 1, lose: 1, double: 1, lapse: 1 },
  },
  "three nodes that hand over, and claims that take long": {
    nodes: 3,
    requests: [
      [1, "send"],
      [2, "send"],
    ],
    faults: { handover: 1, late: 1, lapse: 1, hang: 1 },
  },
  "a synchronous standby that is promoted, and the old primary that comes back": {
    nodes: 2,
    standby: "synchronous",
    requests: [
      [0, "send"],
      [1, "send"],
    ],
    faults: { crash: 1, promote: 1, comeBack: 1, reset: 1 },
  },
  "a standby that is promoted and was behind": {
    nodes: 2,
    standby: "behind",
    requests: [
      [0, "send"],
      [1, "command"],
    ],
    faults: { crash: 1, promote: 1, read: 1 },
  },
  "a node that dies, and begins anew when a standby was promoted that was behind": {
    nodes: 1,
    standby: "behind",
    requests: [
      [0, "send"],
      [0, "send"],
    ],
    faults: { crash: 1, promote: 1, die: 1, start: 1 },
  },
  "a PostgreSQL that crashes under commands with and without a log": {
    nodes: 2,
    requests: [
      [0, "note"],
      [1, "command"],
    ],
    faults: { crash: 1, start: 1, reset: 1 },
  },
  "reads under leases, and clocks that jump": {
    nodes: 2,
    requests: [[1, "send"]],
    faults: { read: 2, lapse: 1, clock: 1 },
  },
  "a Redis that goes away and comes back": {
    nodes: 2,
    requests: [
      [0, "send"],
      [1, "send"],
    ],
    faults: { redis: 2, die: 1 },
  },
  "housekeeping while clocks jump": { nodes: 2, requests: [], faults: { clock: 3, keep: 2 } },
};

const all = { die: 2, start: 3, lose: 2, double: 2, lapse: 2, late: 2, redis: 2, reset: 2, hang: 1, crash: 1 };
const more = { promote: 1, comeBack: 1, clock: 2, keep: 1, read: 4, handover: 1 };

/** Large ones, in which everything may go wrong, for random walks. */
export const largeWorlds: Readonly<Record<string, World>> = {
  "three nodes, and a synchronous standby": {
    nodes: 3,
    standby: "synchronous",
    requests: [
      [0, "send"],
      [1, "command"],
      [2, "send"],
      [1, "note"],
      [0, "send"],
    ],
    faults: { ...all, ...more },
  },
  "three nodes, and a standby that may be behind": {
    nodes: 3,
    standby: "behind",
    requests: [
      [0, "send"],
      [1, "command"],
      [2, "send"],
      [1, "note"],
      [0, "send"],
    ],
    faults: { ...all, ...more },
  },
  "two nodes, and a PostgreSQL that crashes twice": {
    nodes: 2,
    requests: [
      [0, "send"],
      [1, "command"],
      [1, "send"],
      [1, "note"],
      [0, "send"],
    ],
    faults: { ...all, ...more, crash: 2 },
  },
};
