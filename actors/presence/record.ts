/** Presence as clients see it, in its two formats. https://zulip.com/api/get-presence */

/** When somebody was last here: UNIX seconds, 0 for never. */
export interface PresenceTimes {
  active_at: number;
  idle_at: number;
}

export interface ModernPresence {
  active_timestamp: number;
  idle_timestamp: number;
}

interface LegacyStatus {
  client: "website";
  status: "active" | "idle";
  timestamp: number;
}

export interface LegacyPresence {
  aggregated: LegacyStatus;
  website: LegacyStatus & { pushable: false };
}

/**
 * Seconds by which the last sign of activity may lie before the last sign of life for somebody to count as active in
 * the older format: clients report once a minute, and the idle report of one device must not hide another's activity.
 */
const activeForSecs = 70;

export const modernPresence = ({ active_at, idle_at }: PresenceTimes): ModernPresence => ({
  active_timestamp: active_at,
  idle_timestamp: idle_at,
});

/** The older format knows one client, whatever reported. */
export function legacyPresence({ active_at, idle_at }: PresenceTimes): LegacyPresence {
  const isActive = active_at > 0 && active_at + activeForSecs >= idle_at;
  const entry = {
    client: "website" as const,
    status: isActive ? ("active" as const) : ("idle" as const),
    timestamp: isActive ? active_at : idle_at,
  };
  return { aggregated: entry, website: { ...entry, pushable: false } };
}
