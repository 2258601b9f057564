import type { Leases } from "./lease.ts";

/** The leases of several nodes in one process. */
export type LeaseTable = Map<string, { nodeId: string; until: number }>;

/** Leases of nodes in one process: for tests. @param nowMs milliseconds */
export function memoryLeases(table: LeaseTable, nodeId: string, nowMs: () => number = Date.now): Leases {
  const current = (name: string) => {
    const lease = table.get(name);
    return lease && lease.until > nowMs() ? lease : undefined;
  };
  return {
    async hold(name, ttlMs) {
      const lease = current(name);
      if (lease && lease.nodeId !== nodeId) return false;
      table.set(name, { nodeId, until: nowMs() + ttlMs });
      return true;
    },
    async release(name) {
      if (current(name)?.nodeId === nodeId) table.delete(name);
    },
    holder: async (name) => current(name)?.nodeId,
  };
}
