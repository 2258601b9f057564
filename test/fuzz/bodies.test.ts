/**
 * Hostile bodies for every route, over sockets of their own. There is no death and no 5xx, and each is answered or its
 * connection closed in time. At the end the server holds no more memory than one that was started anew on the same
 * data.
 *
 * The usual run is short. `PARLEY_FUZZ_REQUESTS` says how many requests for each seed, `PARLEY_FUZZ_SEEDS` how many new
 * seeds instead of the pinned ones, `PARLEY_FUZZ_FROM` which is the first of them. `PARLEY_FUZZ_ONLY=12,345` sends only
 * the requests of those numbers: to see one again that was found. It needs `npm run build`.
 */
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { routes } from "../../http/api/routes.ts";
import { exchangeRaw, type RawAnswer, type RawOutcome } from "../support/client/raw-exchange.ts";
import { basicOf, FuzzTarget } from "../support/fuzz/fuzz-target.ts";
import { type HostileRequest, hostileRequests, type Wire, wire } from "../support/fuzz/hostile-bodies.ts";

const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);
const requestsPerSeed = number("PARLEY_FUZZ_REQUESTS", 3000);
const newSeeds = number("PARLEY_FUZZ_SEEDS", 0);
const firstSeed = number("PARLEY_FUZZ_FROM", newSeeds > 0 ? randomInt(2 ** 31 - newSeeds) : 0);
const only = process.env["PARLEY_FUZZ_ONLY"]?.split(",").map(Number);
/** Seeds that once failed stay. */
const pinned = [20_261_122];
const seeds =
  newSeeds > 0 || firstSeed > 0
    ? Array.from({ length: Math.max(1, newSeeds) }, (_, index) => firstSeed + index)
    : pinned;

const atOnce = 12;
/** Requests whose client waits although they are not complete: the server ends them, which takes it seconds. */
const mostWaiting = 200;
const batchSize = 1000;
const tellEvery = 10_000;
/** A connection with nothing on it is closed after ten seconds; a busy machine may take a few times as long. */
const timeoutMs = 45_000;
const mostFailures = 20;
const logShown = 800;
/** What is in memory besides the data: queues of the clients, compiled code, caches up to their bounds. */
const mostOverRestarted = 1.2;
const slackBytes = 48e6;

const healthRequest = Buffer.from("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");

/**
 * What would lock out the owner who mends the others, or end the organization, is asked by somebody who may not or who
 * is mended.
 */
const isForMembers = ({ request: { method, path } }: HostileRequest): boolean =>
  method !== "GET" && /\/realm\/deactivate|\/users\/me$|api_key|\/settings|\/users\/\d+$/.test(path);

interface Sent {
  place: number;
  hostile: HostileRequest;
  authorization: string;
}

class Fuzzing {
  readonly failures: string[] = [];
  readonly statuses = new Map<number, number>();
  #waiting = new Set<Promise<void>>();

  constructor(private readonly target: FuzzTarget) {}

  /** Sends them all, in that order, and waits for what becomes of each. */
  async send(batch: readonly Sent[]): Promise<void> {
    let next = 0;
    const underWay = new Set<Sent>();
    const worker = async (): Promise<void> => {
      while (next < batch.length && !this.target.hasDied && this.failures.length < mostFailures) {
        const sent = batch[next++]!;
        underWay.add(sent);
        const made = wire(sent.hostile, sent.authorization);
        const answered = this.#send(sent, made).then((isOver) => void (isOver && underWay.delete(sent)));
        if (made.isWhole) await answered;
        else {
          this.#waiting.add(answered);
          void answered.finally(() => this.#waiting.delete(answered));
          if (this.#waiting.size >= mostWaiting) await Promise.race(this.#waiting);
        }
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    if (!this.target.hasDied) return;
    await this.#findKiller([...underWay]);
    await this.send(batch.slice(next));
  }

  /** Waits for those that only the server ends. */
  async settle(): Promise<void> {
    await Promise.all(this.#waiting);
  }

  /** Sends it and looks at what comes. False: the server has died, of this one or another. */
  async #send(sent: Sent, { pieces, isWhole, ending }: Wire): Promise<boolean> {
    const { hostile } = sent;
    const outcome = await exchangeRaw(this.target.port, {
      pieces,
      ending,
      timeoutMs,
      isHead: hostile.request.method === "HEAD",
      ...(isWhole && { follow: healthRequest }),
    });
    const status = outcome.answers[0]?.status ?? 0;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    const hasLongHead = Buffer.concat(pieces).indexOf("\r\n\r\n") > packetBytes;
    const wrong = whatIsWrong(hostile, outcome, isWhole && !hasLongHead);
    if ((wrong !== undefined || outcome.answers.length === 0) && !(await this.target.isUp())) return false;
    if (wrong !== undefined) this.#fail(sent, / 5\d\d /.test(wrong) ? `${wrong} ${this.target.lastBug}` : wrong);
    return true;
  }

  /** Sends each of those that were under way to a new server, until it dies again. */
  async #findKiller(suspects: readonly Sent[]): Promise<void> {
    const log = this.target.log;
    let hasFound = false;
    await this.target.restart();
    for (const suspect of suspects) {
      if ((await this.#send(suspect, wire(suspect.hostile, suspect.authorization))) && (await this.target.isUp()))
        continue;
      hasFound = true;
      this.#fail(suspect, `THE SERVER DIED: ${this.target.log.slice(-logShown)}`);
      await this.target.restart();
    }
    if (!hasFound) {
      const names = suspects.map(({ place }) => place).join();
      this.failures.push(`THE SERVER DIED, of one of ${names} or all of them together: ${log.slice(-logShown)}`);
    }
  }

  #fail({ place, hostile, authorization }: Sent, wrong: string): void {
    const { pieces } = wire(hostile, authorization);
    const bytes = Buffer.concat(pieces);
    const shown = JSON.stringify(bytes.toString("latin1").slice(0, 700));
    const { method, path } = hostile.request;
    const failure = `#${place} ${hostile.kind}: ${method} ${path}: ${wrong}\n  ${bytes.length} bytes: ${shown}`;
    // A long run shows at once what it finds.
    console.error(failure);
    this.failures.push(failure);
  }
}

/** A server that is slow to store says so to whoever asks for its health. */
const isHealth = ({ status, body }: RawAnswer): boolean =>
  status === 200 || (status === 503 && /^{"status":"unwell"/.test(body));

/** The kernel may cut a longer head in two, and uWebSockets.js 20.30 closes a connection on which that happens. */
const packetBytes = 32 * 1024;

/** The rule that it broke, if any. */
function whatIsWrong({ request, kind }: HostileRequest, outcome: RawOutcome, isWhole: boolean): string | undefined {
  const [answer, second] = outcome.answers;
  const bad = outcome.answers.find((one) => (one.status >= 500 || one.status === 0) && !isHealth(one));
  if (bad !== undefined) return `answered ${bad.status} ${bad.body.slice(0, 300)}`;
  if (outcome.isLate) return `neither answered nor closed after ${Math.round(outcome.ms)} ms`;
  if (!isWhole) return undefined;
  // A connection that brought a body in chunks is closed behind the answer, and a HEAD in chunks without one.
  const isChunked = kind === "in chunks";
  if (answer === undefined) return isChunked && request.method === "HEAD" ? undefined : "closed without an answer";
  const isApi = request.path.startsWith("/api/v1/") && answer.body !== "" && request.method !== "HEAD";
  if (isApi && !/json/.test(answer.type))
    return `answered ${answer.status} with ${answer.type}: ${answer.body.slice(0, 200)}`;
  // Who is refused may be cut off as well, but is not left without an answer on an open connection.
  if (answer.status >= 400) return second && !isHealth(second) ? "out of step" : undefined;
  if (isChunked && second === undefined) return undefined;
  if (second === undefined || !isHealth(second))
    return `answered ${answer.status}, and the next request on that connection was not`;
  return undefined;
}

let target: FuzzTarget | undefined;
afterEach(() => target?.stop());

describe("fuzzing bodies", () => {
  it.each(seeds)(
    "seed %i: no death, no 5xx, nothing kept",
    async (seed) => {
      target = await FuzzTarget.start();
      const fuzzing = new Fuzzing(target);
      const [mel, gus] = target.members;
      const startedAt = performance.now();
      for (let from = 0; from < requestsPerSeed && fuzzing.failures.length < mostFailures; from += batchSize) {
        const drawn = fc.sample(hostileRequests(routes), {
          seed: seed + from,
          numRuns: Math.min(batchSize, requestsPerSeed - from),
        });
        const callers = [target.owner, target.owner, mel!, gus!].map(basicOf);
        const batch = drawn
          .map((hostile, index): Sent => {
            const place = from + index;
            const caller = isForMembers(hostile) ? 2 + (place % 2) : place % 5;
            return { place, hostile, authorization: callers[caller] ?? "" };
          })
          .filter(({ place }) => only === undefined || only.includes(place));
        await fuzzing.send(batch);
        await target.mend();
        if ((from + batchSize) % tellEvery === 0) {
          const megabytes = Math.round((await target.heapBytes()) / 1e6);
          const seconds = Math.round((performance.now() - startedAt) / 1000);
          const found = fuzzing.failures.length;
          console.info(
            `seed ${seed}: ${from + batchSize} requests, ${seconds} s, ${megabytes} MB held, ${found} failures`,
          );
        }
      }
      await fuzzing.settle();
      expect(fuzzing.failures.join("\n"), "failures").toBe("");
      const held = await target.heapBytes();
      await target.restart();
      const restarted = await target.heapBytes();
      console.info(
        `seed ${seed}: ${Math.round(held / 1e6)} MB held, ${Math.round(restarted / 1e6)} MB when started anew; answers by status: ${JSON.stringify([...fuzzing.statuses])}`,
      );
      expect(held, "bytes held at the end").toBeLessThan(mostOverRestarted * restarted + slackBytes);
      if (only === undefined)
        expect(fuzzing.statuses.get(200) ?? 0, "some must get through").toBeGreaterThan(requestsPerSeed / 50);
    },
    240_000 + requestsPerSeed * 20,
  );
});
