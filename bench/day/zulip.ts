/**
 * What Zulip's documentation says of a server of its own. Nothing of it was measured here.
 *
 * Its times are of whole requests, so they hold what a request waited for. Its memory is what it recommends, of which a
 * server need not use all.
 */

const performancePage = "https://zulip.readthedocs.io/en/stable/subsystems/performance.html";
const requirementsPage = "https://zulip.readthedocs.io/en/stable/production/requirements.html#scalability";

/** Share of all requests in percent, and average ms. */
const endpoints = [
  { share: 36, ms: 25 },
  { share: 3, ms: 70 },
  { share: 0.3, ms: 300 },
  { share: 44, ms: 2 },
  { share: 5, ms: 12 },
  { share: 1.5, ms: 25 },
  { share: 0.5, ms: 40 },
  { share: 0.04, ms: 50 },
];
const presenceShare = 0.36;
const pingsPerHour = 60;
/** GB for the application and again for PostgreSQL, for so many people a day; "roughly linear" beyond. */
const recommended = { people: 2_000, eachGb: 32 };

export interface Documented {
  msPerPersonHour: number;
  requestsPerSecond: number;
  /** For the application server; its database is recommended as much again. */
  memoryMib: number;
  sentence: string;
}

export function documented(online: number): Documented {
  const perRequestMs = endpoints.reduce((sum, { share, ms }) => sum + (share * ms) / 100, 0);
  const perHour = pingsPerHour / presenceShare;
  const gb = recommended.eachGb * Math.max(1, online / recommended.people);
  return {
    msPerPersonHour: perRequestMs * perHour,
    requestsPerSecond: (online * perHour) / 3600,
    memoryMib: gb * 1024,
    sentence:
      `Zulip's row is of its documentation and was not measured. ${perRequestMs.toFixed(1)} ms a request on average, waiting included, follow from the ` +
      `table of [Performance and scalability](${performancePage}), and ${perHour.toFixed(0)} requests for each person and hour from a ping a minute. ` +
      `[Requirements](${requirementsPage}) recommend ${gb.toFixed(0)} GB of RAM for the application server of so many daily active users, and as much for the database.`,
  };
}
