/**
 * Everybody who is online, in one process and on one clock.
 *
 * Each client pings once a minute. Other requests follow from that in the documented proportions, at even distances, in
 * the names of people at random. What polls and streams bring comes by itself.
 *
 * Each message carries when it was due. Phones and terminals never register anew of their own accord. So each of them
 * must see each acknowledged message of its channels exactly once, also over a restart of the server.
 */
import { Reader } from "../load/connection.ts";
import { get } from "../load/request.ts";
import { compressed, type Person, read, say } from "./asks.ts";
import { Client, type Shared } from "./client.ts";
import type { SeenEvent } from "./events.ts";
import { Pool } from "./pool.ts";
import { type Ask, Tally } from "./tally.ts";

export interface CrewPlan {
  port: number;
  people: readonly Person[];
  /** Addresses of files that everybody may read. */
  files: readonly string[];
  /** The channel of all. */
  hallId: number;
  /** How often each client reports presence. */
  pingEverySecs: number;
  /** Parameters of registers other than the clients' own. */
  registerChanges?: object;
}

/**
 * Requests of a kind for each ping, from their shares of all requests. What the documentation does not name is like
 * static files. Source: https://github.com/zulip/zulip/blob/main/docs/subsystems/performance.md
 */
const perPing: readonly (readonly [Ask, number])[] = [
  ["uploads", 5 / 36],
  ["history", 3 / 36],
  ["flags", 1.5 / 36],
  ["sends", 0.5 / 36],
  ["register", 0.3 / 36],
  ["other", 9.7 / 36],
];
const tickMs = 5;
const stampMark = "due at ";
const stampPattern = /due at (\d+\.\d+)/;
/** Somebody who has read a message is looked for so often at random. */
const tries = 20;
const lookEveryMs = 50;

interface Said {
  id: number;
  /** Phones and terminals that were to see it. */
  audience: readonly Client[];
}

export class Crew {
  readonly clients: readonly Client[];
  readonly #tally = new Tally();
  readonly #shared: Shared;
  readonly #debts = new Map<Ask, number>();
  readonly #said: Said[] = [];
  /** What phones and terminals have seen: how often, by client and message. */
  readonly #seen = new Map<Client, Map<number, number>>();
  #ticking: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  #underWay = 0;
  /** The announcement that everybody reads, while they do. */
  #reading: { left: number; withinMs: number; done(): void } | undefined;

  constructor(private readonly plan: CrewPlan) {
    const reader = new Reader();
    this.#shared = {
      port: plan.port,
      reader,
      pool: new Pool(plan.port, reader),
      tally: this.#tally,
      isRestarting: false,
      newestUpdate: -1,
      registerChanges: plan.registerChanges ?? {},
      pingEveryMs: 1000 * plan.pingEverySecs,
      onMessage: (client, message) => this.#saw(client, message),
    };
    this.clients = plan.people.map((person) => new Client(person, this.#shared));
  }

  get online(): number {
    return this.clients.filter(({ state }) => state === "following").length;
  }

  take = () => this.#tally.take();

  /** All of them begin, at even distances. Resolves when the last one has looked at a conversation. */
  async join(overMs: number): Promise<void> {
    const startedAt = performance.now();
    const begun: Promise<void>[] = [];
    for (const [index, client] of this.clients.entries()) {
      const waitMs = startedAt + (index * overMs) / this.clients.length - performance.now();
      if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
      begun.push(client.begin());
    }
    await Promise.all(begun);
  }

  /** Begins with the requests beside pings. */
  work(): void {
    this.#tickedAt = performance.now();
    this.#ticking = setInterval(() => this.#tick(), tickMs);
  }

  /** The server is about to be restarted. Nobody asks for anything until `served`. */
  expectRestart(): void {
    this.#shared.isRestarting = true;
  }

  served(): void {
    this.#shared.isRestarting = false;
    this.#tickedAt = performance.now();
  }

  /** Somebody writes to all. Each who gets it marks it as read within that time. Resolves when the last one has. */
  async announce(withinMs: number): Promise<void> {
    const [sender] = this.clients;
    if (sender === undefined) return;
    await new Promise<void>((done) => {
      this.#reading = { left: this.online, withinMs, done };
      this.#say(sender, this.plan.hallId);
    });
    this.#reading = undefined;
  }

  /** All but the first so many close their clients. */
  leave(staying: number): void {
    for (const client of this.clients.slice(staying)) client.end();
  }

  /** Waits until what was asked is answered. Then says how many messages phones and terminals missed or saw twice. */
  async check(patienceMs: number): Promise<{ said: number; missed: number; twice: number }> {
    clearInterval(this.#ticking);
    const missed = () => this.#count((seen) => seen === 0);
    for (const until = performance.now() + patienceMs; performance.now() < until; ) {
      if (this.#underWay === 0 && missed() === 0) break;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    const result = { said: this.#said.length, missed: missed(), twice: this.#count((seen) => seen > 1) };
    this.#said.length = 0;
    this.#seen.clear();
    return result;
  }

  #count(is: (seen: number) => boolean): number {
    let count = 0;
    for (const { id, audience } of this.#said)
      for (const client of audience) if (is(this.#seen.get(client)?.get(id) ?? 0)) count++;
    return count;
  }

  #tick(): void {
    if (this.#shared.isRestarting) return;
    const now = performance.now();
    const secs = (now - this.#tickedAt) / 1000;
    this.#tickedAt = now;
    const online = this.clients.filter(({ state }) => state === "following");
    for (const [what, ratio] of perPing) {
      let debt = (this.#debts.get(what) ?? 0) + (secs * online.length * ratio) / this.plan.pingEverySecs;
      for (; debt >= 1; debt--) this.#act(what, online);
      this.#debts.set(what, debt);
    }
  }

  #act(what: Ask, online: readonly Client[]): void {
    const client = anyOf(online);
    if (client === undefined) return;
    const { person } = client;
    if (what === "history") client.look();
    else if (what === "sends") this.#say(client, anyOf(person.channelIds) ?? this.plan.hallId);
    else if (what === "flags") this.#readSome(online);
    else if (what === "uploads") client.ask(what, get(anyOf(this.plan.files) ?? "/", person));
    else if (what === "other") client.ask(what, compressed(get("/api/v1/server_settings")));
    // A page that is loaded again; but an announcement counts its readers.
    else if (person.kind === "page" && this.#reading === undefined) void client.begin();
  }

  #readSome(online: readonly Client[]): void {
    for (let left = tries; left > 0; left--) {
      const client = anyOf(online);
      if (client === undefined || client.lastMessageId === 0) continue;
      client.ask("flags", read(client.person, client.lastMessageId));
      return;
    }
  }

  #say(client: Client, channelId: number): void {
    const isOfAll = channelId === this.plan.hallId;
    const audience = this.clients.filter(
      ({ person, state }) =>
        person.kind !== "page" && state === "following" && (isOfAll || person.channelIds.includes(channelId)),
    );
    const stamp = `${stampMark}${(performance.timeOrigin + performance.now()).toFixed(3)}`;
    this.#underWay++;
    const content = `The build is green again, see you at lunch. **Thanks!** This was ${stamp}.`;
    client.ask("sends", say(client.person, channelId, content), (answer) => {
      this.#underWay--;
      if (answer === undefined) return;
      const { id } = JSON.parse(answer.body.toString()) as { id: number };
      this.#said.push({ id, audience });
    });
  }

  #saw(client: Client, { id, stream_id, content }: NonNullable<SeenEvent["message"]>): void {
    const stamp = stampPattern.exec(content)?.[1];
    if (stamp === undefined) return;
    const dueAt = Number(stamp);
    // Whoever was still starting has more to wait for.
    if (client.since < dueAt) this.#tally.seen(performance.timeOrigin + performance.now() - dueAt);
    if (client.person.kind !== "page") {
      const seen = this.#seen.get(client) ?? new Map<number, number>();
      this.#seen.set(client, seen.set(id, (seen.get(id) ?? 0) + 1));
    }
    const reading = stream_id === this.plan.hallId ? this.#reading : undefined;
    if (reading === undefined) return;
    setTimeout(() => {
      client.ask("flags", read(client.person, id), () => {
        if (--reading.left === 0) reading.done();
      });
    }, Math.random() * reading.withinMs);
  }
}

const anyOf = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];
