/** What a cluster carries, on paper: the arithmetic from measured costs to a number of machines. */

/** Measured, µs of CPU. */
export interface Costs {
  /** One delivery to one parked poll. */
  perDelivery: number;
  /** One committed event on a node that writes nothing and has no queue. */
  perEventOfFollower: number;
  /** One send that came to another node: on that node, and on the writer. */
  perSendTaken: number;
  perSendWritten: number;
  postgresPerSend: number;
  /** Redis, for one such send, by the number of processes: two measurements. */
  redisPerSend: readonly [Point, Point];
}

interface Point {
  processes: number;
  microseconds: number;
}

/** Not measured: what is asked for, and what there is. */
export interface Assumptions {
  online: number;
  /** Messages each of them sends. */
  perMinute: number;
  /** How many of those online get each message. */
  audience: number;
  coresPerMachine: number;
  /** Share of a core that is used on average; the rest is for peaks. */
  utilisation: number;
}

export interface Capacity {
  sendsPerSecond: number;
  deliveriesPerSecond: number;
  /** Parley's, each with a core of its own. */
  processes: number;
  /** That many processes fit on. */
  machines: number;
  /** How many online people each part carries when there are that many processes; the first is used up first. */
  limits: { part: string; online: number; growsWithProcesses: boolean }[];
}

const microsecondsPerSecond = 1e6;

/** Of all who are online together. */
export function sendsPerSecondOf({ online, perMinute }: Assumptions): number {
  return (online * perMinute) / 60;
}

/** Undefined when no number of processes carries them: following the log takes all that a process has. */
export function capacity(costs: Costs, assumed: Assumptions): Capacity | undefined {
  const sendsPerSecond = sendsPerSecondOf(assumed);
  const core = assumed.utilisation * microsecondsPerSecond;

  /** Of Parley's processes together, without what each of them pays for every event. */
  const shared = assumed.audience * costs.perDelivery + costs.perSendTaken + costs.perSendWritten;
  const left = core - sendsPerSecond * costs.perEventOfFollower;
  if (left <= 0) return undefined;
  const processes = Math.ceil((sendsPerSecond * shared) / left);

  const carried = (available: number, perSend: number): number =>
    (available / perSend / sendsPerSecond) * assumed.online;
  return {
    sendsPerSecond,
    deliveriesPerSecond: sendsPerSecond * assumed.audience,
    processes,
    machines: Math.ceil(processes / assumed.coresPerMachine),
    limits: [
      {
        part: `the ${processes} processes' deliveries`,
        online: carried(processes * core, shared + processes * costs.perEventOfFollower),
        growsWithProcesses: true,
      },
      ...Object.entries({
        "the writer (one core)": carried(core, costs.perSendWritten),
        "a follower's fixed cost (one core each)": carried(core, costs.perEventOfFollower),
        "Redis (one core)": carried(core, redisPerSend(costs.redisPerSend, processes)),
        [`PostgreSQL (${assumed.coresPerMachine} cores)`]: carried(
          assumed.coresPerMachine * core,
          costs.postgresPerSend,
        ),
      }).map(([part, online]) => ({ part, online, growsWithProcesses: false })),
    ].sort((a, b) => a.online - b.online),
  };
}

/** Each follower is told of each send, so Redis's work grows in a straight line with their number. */
function redisPerSend([few, many]: Costs["redisPerSend"], processes: number): number {
  const perProcess = (many.microseconds - few.microseconds) / (many.processes - few.processes);
  return many.microseconds + Math.max(0, perProcess) * (processes - many.processes);
}
