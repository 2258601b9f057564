/**
 * Opens connections to the hosts of `DATABASE_URL`, in their order, as libpq does. It takes the first that is reached,
 * is the PostgreSQL that this process knows, and does what `target_session_attrs` asks for.
 */
import { connect, isIP, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { DatabaseAddress } from "../database-url.ts";
import { codeOf, defined, firstOf, messageOf, StorageUnavailable, translate } from "../failures.ts";
import { gate } from "./gate.ts";
import type { Generation, Generations } from "./generation.ts";

/** Of a host that is not there the kernel may never tell. */
const reachedWithinMs = 5000;
/** A start waits no longer for hosts that do not answer, and whoever has lost all connections not for so long. */
const surveyMs = { atStart: 2000, later: 500 };
/**
 * The kernel takes connections for a PostgreSQL that sleeps. One that has not said by then who it is is left, where
 * another is known to be right. Of the right one all are asked again, since another may have been promoted meanwhile.
 */
const answersWithinMs = 2000;
/** It is passed over for so long while another is right. */
const sleepsMs = 10_000;
/** A host that was of no use is passed over for so long, or for as long as it took to know. */
const restMs = 250;
/** One host alone only so long that whoever opened the connection hears of its end, instead of asking for ever. */
const soleRestMs = 20;
/** Says that what follows is to be TLS. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** One host alone: to know who is there (`ask`), or whether it may be used. */
export interface OneHost {
  label: string;
  ask?: (met: Generation) => void;
}

interface Host {
  name: string;
  port: number;
  /** For people. */
  label: string;
  restsUntil: number;
  why: Error | undefined;
  /** Its last connection ended before it said who it is. */
  hasEnded: boolean;
}

export class Hosts {
  readonly #hosts: Host[];
  readonly #address: DatabaseAddress;
  readonly #generations: Generations;
  #survey: Promise<void> | undefined;
  /** The label of the host where the right one answered last. */
  #right: string | undefined;
  /** Connections that are not decided on, and where they lead. */
  readonly #pending = new Map<Socket, Host>();
  /** Opens a connection to one host and ends it. */
  #look: (host: OneHost) => Promise<unknown> = async () => {};

  constructor(address: DatabaseAddress, generations: Generations) {
    this.#address = address;
    this.#generations = generations;
    this.#hosts = address.host.map((name, index) => {
      const port = defined(address.port[index], "port");
      const label = address.path ?? (name.includes(":") ? `[${name}]:${port}` : `${name}:${port}`);
      return { name, port, label, restsUntil: 0, why: undefined, hasEnded: false };
    });
  }

  /**
   * While there is no connection: asks all hosts who they are, of which the newest is the right one. The first of the
   * list may be one that was replaced while nothing was heard.
   * @param connect opens a connection to one host and ends it
   */
  async survey(connect: (host: OneHost) => Promise<unknown>): Promise<void> {
    this.#look = connect;
    if (this.#hosts.length < 2 || this.#generations.isInUse) return;
    this.#survey ??= this.#askAll(connect).finally(() => {
      this.#survey = undefined;
    });
    await this.#survey;
  }

  async #askAll(connect: (host: OneHost) => Promise<unknown>): Promise<void> {
    const met = new Map<string, Generation>();
    const waiting = new Set(this.#hosts);
    const asked = this.#hosts.map(async (host) => {
      const ask = (one: Generation) => void met.set(host.label, one);
      await connect({ label: host.label, ask }).finally(() => waiting.delete(host));
    });
    const waitMs = this.#generations.known ? surveyMs.later : surveyMs.atStart;
    await Promise.race([Promise.allSettled(asked), delay(waitMs, undefined, { ref: false })]);
    // One that was adopted meanwhile by a connection is the known one by now.
    const right = this.#generations.survey(
      this.#hosts.flatMap(({ label }) => {
        const one = met.get(label);
        return one === undefined ? [] : [[label, one] as const];
      }),
    );
    if (right === undefined) return;
    this.#right = right;
    // Whoever waits for one that sleeps comes here instead.
    for (const host of waiting) if (!met.has(host.label)) this.#rest(host, silent(host), sleepsMs);
    for (const [socket, { label }] of this.#pending) if (!met.has(label)) socket.destroy();
  }

  /**
   * A connection that the driver may write to. One that is of no use ends by itself, and the driver asks again. When no
   * host is left, the connection that it gets fails with the reason.
   * @param signal ends what is not in use yet
   * @param reached told of the connection before anything is asked of PostgreSQL
   */
  async open(signal: AbortSignal, reached: (socket: Socket) => void, only?: OneHost): Promise<Duplex> {
    const failures: Error[] = [];
    // The driver may pause for longer than a host rests. What was of no use then comes last.
    const inOrder = this.#hosts.toSorted((one, other) => Number(one.hasEnded) - Number(other.hasEnded));
    for (const host of inOrder) {
      if (only !== undefined && host.label !== only.label) continue;
      if (only === undefined && performance.now() < host.restsUntil && host.why !== undefined) {
        failures.push(host.why);
        continue;
      }
      const begunAt = performance.now();
      try {
        const socket = await this.#reach(host, signal);
        reached(socket);
        this.#guard(socket, host, signal, only?.ask);
        return socket;
      } catch (error) {
        const why = inWords(error, host);
        failures.push(why);
        // Of one host the driver itself keeps the pace.
        if (this.#hosts.length > 1) this.#rest(host, why, performance.now() - begunAt);
      }
    }
    return new Unreached(failures.find((one) => one instanceof Replaced) ?? firstOf(failures));
  }

  async #reach(host: Host, signal: AbortSignal): Promise<Socket> {
    const { path, ssl } = this.#address;
    const raw = path === undefined ? connect(host.port, host.name) : connect(path);
    // A statement that follows another would wait for the answer to that one.
    raw.setNoDelay(true);
    // Whoever waits hears of it as well.
    raw.on("error", () => {});
    const end = () => raw.destroy();
    const timer = setTimeout(() => raw.destroy(timedOut(host)), reachedWithinMs);
    signal.addEventListener("abort", end);
    try {
      if (signal.aborted) end();
      await happens(raw, "connect");
      if (ssl === false) return raw;
      raw.write(sslRequest);
      await happens(raw, "readable");
      const answer: unknown = raw.read(1);
      if (String(answer) !== "S") {
        if (ssl === "prefer" || ssl === "allow") return raw;
        raw.destroy();
        throw new Error(`PostgreSQL at ${host.label} takes no TLS`);
      }
      const trust = typeof ssl === "string" ? { rejectUnauthorized: false } : ssl;
      const socket = connectTls({ socket: raw, ...(isIP(host.name) === 0 && { servername: host.name }), ...trust });
      await happens(socket, "secureConnect");
      return socket;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
  }

  /** Has who answers decided on before the driver hears anything. */
  #guard(socket: Socket, host: Host, signal: AbortSignal, ask?: (met: Generation) => void): void {
    const begunAt = performance.now();
    const end = () => void socket.destroy();
    const isHasty = this.#right !== undefined && host.label !== this.#right;
    const timer = setTimeout(() => (isHasty ? end() : void this.survey(this.#look)), answersWithinMs);
    if (ask === undefined) this.#pending.set(socket, host);
    const over = () => {
      clearTimeout(timer);
      this.#pending.delete(socket);
      signal.removeEventListener("abort", end);
    };
    signal.addEventListener("abort", end);
    gate(socket, {
      hasOthers: this.#hosts.length > 1 && ask === undefined,
      decide: (met, lacks) => {
        over();
        host.hasEnded = false;
        if (ask !== undefined) {
          ask(met);
          return true;
        }
        const isAdmitted = this.#decide(socket, host, met);
        if (isAdmitted && lacks > 0)
          this.#generations.tell(
            `PostgreSQL at ${host.label} does not tell this account its ${lacks === 1 ? "system identifier" : "timeline"}: ` +
              `one that was replaced ${lacks === 1 ? "is known by its timeline alone" : "cannot be told apart"}`,
          );
        return isAdmitted;
      },
      ended: () => {
        over();
        host.hasEnded = true;
        // Also when it was only asked who it is: the next connection is not to fail there.
        const tookMs = performance.now() - begunAt;
        const why = new StorageUnavailable(`PostgreSQL at ${host.label} ended a new connection`);
        if (isHasty && tookMs >= answersWithinMs) this.#rest(host, silent(host), sleepsMs);
        else if (this.#hosts.length > 1) this.#rest(host, why, tookMs);
        else this.#rest(host, why, 0, soleRestMs);
      },
    });
  }

  #decide(socket: Socket, host: Host, met: Generation): boolean {
    if (!this.#suits(met, host)) {
      this.#rest(
        host,
        new StorageUnavailable(`PostgreSQL at ${host.label} is not the kind that DATABASE_URL asks for`),
      );
      return false;
    }
    if (!this.#generations.admits(host.label, met, socket)) {
      this.#rest(host, new Replaced(`a PostgreSQL that was replaced answers at ${host.label}`));
      return false;
    }
    socket.once("close", () => this.#generations.ended(socket));
    if (!met.isStandby) this.#right = host.label;
    return true;
  }

  /** Whether it is what `target_session_attrs` asks for. */
  #suits({ isStandby, isReadOnly }: Generation, host: Host): boolean {
    switch (this.#address.sessions) {
      case "read-write":
        return !isReadOnly;
      case "read-only":
        return isReadOnly;
      case "primary":
        return !isStandby;
      case "standby":
        return isStandby;
      case "prefer-standby":
        // Or the others are of no use just now.
        return isStandby || this.#hosts.every((one) => one === host || performance.now() < one.restsUntil);
      default:
        return true;
    }
  }

  #rest(host: Host, why: Error, forMs = 0, atLeastMs = restMs): void {
    host.restsUntil = Math.max(host.restsUntil, performance.now() + Math.max(atLeastMs, forMs));
    host.why = why;
  }
}

const silent = ({ label }: Host): Error => new StorageUnavailable(`PostgreSQL at ${label} does not answer`);

/** Says of every other host less than this. */
class Replaced extends StorageUnavailable {
  override name = "Replaced";
}

const unroutable = new Set(["EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN"]);

function inWords(error: unknown, { name, label }: Host): Error {
  const code = codeOf(error);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new StorageUnavailable(`DATABASE_URL names the host "${name}", which cannot be resolved: ${code}`);
  if (unroutable.has(code ?? ""))
    return new StorageUnavailable(`DATABASE_URL names ${label}, to which there is no way: ${code}`);
  if (translate(error) instanceof StorageUnavailable)
    return new StorageUnavailable(`PostgreSQL at ${label} cannot be reached: ${code}`);
  return error instanceof Error ? error : new Error(messageOf(error));
}

/** Waits for an event of a socket. @throws what it ends with before */
function happens(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      socket.off(event, happened).off("error", failed).off("close", closed);
      act();
    };
    let reason: Error = Object.assign(new Error("the connection was closed"), { code: "ECONNRESET" });
    const happened = settle(resolve);
    const closed = settle(() => reject(reason));
    const failed = (error: Error) => {
      reason = error;
      settle(() => reject(error))();
    };
    socket.on(event, happened).on("error", failed).on("close", closed);
  });
}

const timedOut = ({ label }: Host): Error =>
  Object.assign(new Error(`PostgreSQL at ${label} was not reached in time`), { code: "CONNECT_TIMEOUT" });

/** What the driver gets instead of a connection: it fails as soon as it is written to. */
class Unreached extends Duplex {
  constructor(private readonly why: Error) {
    super({ emitClose: false });
  }

  override _read(): void {}

  override _write(_bytes: Buffer, _encoding: string, done: (error: Error) => void): void {
    done(this.why);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(error);
    // As a socket tells it: the driver waits longer each time.
    process.nextTick(() => this.emit("close", error !== null));
  }
}
