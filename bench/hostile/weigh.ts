/** What is left in memory of the largest values, group by group of the route table, in an organization of their own. */
import { channelMessages, startCommunity } from "../harness/community.ts";
import { Parley } from "../harness/parley.ts";
import type { BenchPostgres } from "../harness/postgres.ts";
import type { Row } from "../harness/report.ts";
import type { Setup } from "../harness/setup.ts";
import { LoadProcess } from "../load/fleet.ts";
import { largestRequests } from "./largest.ts";
import { storm } from "./memory.ts";

/** How long the largest values of a group are repeated, unless told. */
const usualSeconds = 5;
/** Each has the budget of one person, and an address. */
const attackerCount = 6;
const quietSenders = 4;
/** Messages of the greatest length that others have sent before, each: the recent log and the history hold them. */
const longMessages = 40;
const limited = { PARLEY_RATE_LIMITS: "on" };

/** Weighs the server before and after each group, on an empty database. One row for each. */
export async function weigh(setup: Setup, database: BenchPostgres): Promise<Row[]> {
  const community = await startCommunity(setup, database, {
    users: 20,
    channels: [
      { name: "hall", subscribers: 20 },
      { name: "yard", subscribers: 20 },
    ],
    settings: limited,
  });
  const { members, channelIds } = community;
  let { parley } = community;
  const attackers = [parley.owner, ...members.slice(0, attackerCount - 1)];
  for (const { userId } of members.slice(0, attackerCount - 1))
    await parley.call("PATCH", `/api/v1/users/${userId}`, { role: 100 });
  const quiet = members.slice(attackerCount, attackerCount + quietSenders);
  const sends = quiet.flatMap((member) => channelMessages(member, channelIds.get("hall")!, 4));
  const channelId = channelIds.get("yard")!;
  const fields = { type: "channel", to: channelId, topic: "t", content: "c" };
  const { id: messageId } = await parley.call<{ id: number }>("POST", "/api/v1/messages", fields);
  const known = { channelId, messageId, userId: members.at(-1)!.userId };
  // What is kept within a bound anyway is there before it is weighed.
  const long = { ...fields, content: "a long message of many words ".repeat(340) };
  for (const member of members.slice(attackerCount + quietSenders))
    for (let sent = 0; sent < longMessages; sent++) await parley.call("POST", "/api/v1/messages", long, member);
  const load = new LoadProcess(setup, "quiet");
  const seconds = setup.seconds ?? (setup.quick ? 1 : usualSeconds);
  const rows: Row[] = [];
  for (const [group, all] of largestRequests()) {
    if (setup.only !== undefined && !group.includes(setup.only)) continue;
    setup.log(`largest values: ${group}, ${all.length} kinds`);
    const requests = setup.quick ? all.filter((_, index) => index % 20 === 0) : all;
    const { wrong, inPause, ...figures } = await storm(requests, { parley, load, attackers, sends, known, seconds });
    for (const line of wrong.slice(0, 20)) setup.log(line);
    setup.log(`  longest pause ${figures.pauseMs.toFixed(1)} ms, in: ${inPause.join("; ")}`);
    rows.push({
      requests: `largest values: ${group}`,
      count: requests.length,
      worst: wrong[0] ?? inPause[0] ?? "–",
      ...figures,
    });
    if (parley.hasEnded) parley = await Parley.start(setup, database, undefined, limited);
  }
  await load.end();
  await parley.end();
  return rows;
}
