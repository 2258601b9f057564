/**
 * What does a morning cost, on which everybody logs in again?
 *
 * Setup: an organization whose people are linked with a provider of identities (OpenID Connect). The provider signs
 * at once, and runs in a process of its own. They come at the pace of 10,000 within ten minutes, each in a browser of
 * their own, while somebody else sends ten messages a second. The same by passwords, for comparison.
 *
 * Units: ms of CPU of Parley's process per log-in, without what an equally long time of the sender alone takes; ms of a
 * send; cores that the server used while people came.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { hashPassword } from "../../storage/users/passwords.ts";
import { Child } from "../harness/child.ts";
import { type Community, startCommunity } from "../harness/community.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import type { Setup } from "../harness/setup.ts";
import { percentiles } from "../harness/statistics.ts";
import { Browser } from "./browser.ts";

const people = 10_000;
const quickPeople = 100;
/** 10,000 within ten minutes. */
const comingPerSec = 10_000 / 600;
const comers = 1000;
const quickComers = 20;
const sendEveryMs = 100;
const password = "a morning of ten thousand";

/** The bounds that the project set itself. */
const mostCores = 1;
const mostSendP99Ms = 250;

/** What happened while people came. */
interface Morning {
  cpuMs: number;
  secs: number;
  /** Of each send. */
  sendMs: number[];
  /** Of each log-in, from its first request to its last answer. */
  logInMs: number[];
}

export const login: Bench = {
  name: "login",
  question: "What does a log-in by a provider cost, and do others notice when 10,000 come within ten minutes?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const issuer = `http://127.0.0.1:${await startProvider(setup)}`;
    const community = await startMorning(setup, database, issuer);
    const count = setup.quick ? quickComers : comers;
    const { parley, members } = community;
    const base = `http://127.0.0.1:${parley.port}`;
    const byProvider = (index: number) => new Browser(base).comeByProvider(`p${members[index]!.userId}`);
    const byPassword = (index: number) => new Browser(base).comeByPassword(members[index]!.email, password);
    setup.log("warming up");
    await morning(community, Math.ceil(count / 10), byProvider);
    await morning(community, Math.ceil(count / 10), byPassword);
    setup.log("nobody comes");
    const alone = await morning(community, count, async () => {});
    setup.log(`${count} people come by the provider`);
    const provided = await morning(community, count, byProvider);
    setup.log(`${count} people come by passwords`);
    const typed = await morning(community, count, byPassword);
    const rows = [rowOf("nobody", alone, alone, count), rowOf("provider", provided, alone, count)];
    rows.push(rowOf("password", typed, alone, count));
    return {
      columns: [
        { key: "by", label: "by" },
        { key: "cpuMs", label: "ms CPU/log-in", digits: 2 },
        { key: "cores", label: "cores", digits: 2 },
        { key: "logInP50", label: "log-in p50 ms", digits: 0 },
        { key: "logInP99", label: "log-in p99 ms", digits: 0 },
        { key: "sendP50", label: "others' send p50 ms", digits: 1 },
        { key: "sendP99", label: "others' send p99 ms", digits: 1 },
      ],
      rows,
      bounds: [
        {
          what: "cores of the server while 10,000 come within ten minutes by a provider",
          value: provided.cpuMs / 1000 / provided.secs,
          limit: mostCores,
          sense: "most",
          kind: "machine",
        },
        {
          what: "p99 of others' sends meanwhile, ms",
          value: percentiles(provided.sendMs).p99,
          limit: mostSendP99Ms,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        `${members.length} people, of whom ${count} came, at ${comingPerSec.toFixed(1)} a second; one run each. ` +
          "A password's log-in is mostly its hash, which a thread of its own computes.",
      ],
    };
  },
};

async function startProvider(setup: Setup): Promise<number> {
  const child = new Child({
    script: new URL("provider.js", import.meta.url),
    logFile: `${setup.folder}/provider.log`,
  });
  setup.atEnd(() => child.end());
  return child.ask<number>("listen");
}

async function startMorning(setup: Setup, database: BenchPostgres, issuer: string): Promise<Community> {
  const hash = await hashPassword(password);
  const provider = { name: "bench", display_name: "Bench", issuer, client_id: "parley", client_secret: "secret" };
  return startCommunity(setup, database, {
    users: setup.quick ? quickPeople : people,
    channels: [{ name: "morning", subscribers: 100 }],
    settings: { PARLEY_OIDC: JSON.stringify({ "*": [provider] }) },
    async write(sql) {
      await sql`update credentials set password_hash = ${hash} where user_id in (select id from users where not is_bot)`;
      await sql`
        insert into identities (id, realm_id, issuer, subject, provider, user_id, state, date_created)
        select 1000000000 + id, realm_id, ${issuer}, 'p' || id, 'bench', id, 'linked', 0 from users where not is_bot`;
    },
  });
}

/** People come one after another at the pace, and somebody sends meanwhile. */
async function morning(community: Community, count: number, come: (index: number) => Promise<void>): Promise<Morning> {
  const { parley } = community;
  const [cpuBefore, startedAt] = [parley.cpuMicroseconds(), performance.now()];
  const logInMs: number[] = [];
  const coming: Promise<void>[] = [];
  let isOver = false;
  const sending = send(community, () => isOver);
  for (let index = 0; index < count; index++) {
    await sleep(Math.max(0, startedAt + (index * 1000) / comingPerSec - performance.now()));
    const began = performance.now();
    coming.push(come(index).then(() => void logInMs.push(performance.now() - began)));
  }
  await Promise.all(coming);
  isOver = true;
  const sendMs = await sending;
  const cpuMs = (parley.cpuMicroseconds() - cpuBefore) / 1000;
  return { cpuMs, secs: (performance.now() - startedAt) / 1000, sendMs, logInMs };
}

async function send({ parley, channelIds }: Community, isOver: () => boolean): Promise<number[]> {
  const took: number[] = [];
  const fields = { type: "channel", to: channelIds.get("morning"), topic: "coffee", content: "good morning" };
  while (!isOver()) {
    const began = performance.now();
    await parley.call("POST", "/api/v1/messages", fields);
    took.push(performance.now() - began);
    await sleep(Math.max(0, sendEveryMs - took.at(-1)!));
  }
  return took;
}

function rowOf(by: string, { cpuMs, secs, sendMs, logInMs }: Morning, alone: Morning, count: number): Row {
  const [sends, logIns] = [percentiles(sendMs), percentiles(logInMs)];
  return {
    by,
    cpuMs: (cpuMs - (alone.cpuMs / alone.secs) * secs) / count,
    cores: cpuMs / 1000 / secs,
    logInP50: logIns.p50,
    logInP99: logIns.p99,
    sendP50: sends.p50,
    sendP99: sends.p99,
  };
}
