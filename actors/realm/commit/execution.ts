/** Commands on their way to the realm's writer, which is this node or another one, and back. */
import { setTimeout as delay } from "node:timers/promises";
import type { LogPosition } from "../../../storage/ids.ts";
import { mayBeLoss, StorageConflict, translate } from "../../../storage/postgres.ts";
import { errors } from "../../errors.ts";
import { inTime } from "../../in-time.ts";
import { inSpan, type SpanKind } from "../../tracing.ts";
import { callerOf, checkCaller } from "../caller.ts";
import type { ArgsOf, Command, CommandName, CommandTable, ReplyOf } from "../command.ts";
import type { ForwardedCommand, Membership } from "../coordination.ts";
import type { RealmEnvironment } from "../environment.ts";
import type { LoadedRealm } from "../loaded.ts";
import type { Writer } from "../writer.ts";
import type { Origin } from "./audit.ts";
import { type ChangeHealth, CommandHealth } from "./command-health.ts";
import { NotBegun, type Work } from "./work.ts";

/** Pause between two attempts to reach a writer, of the command that looks for it. */
const retryMs = 25;
/** So long the other commands wait for it at most, before each tries by itself. */
const followMs = 500;

/** Of a commit that hangs the writer itself tells before, and says more. */
const leastPatienceMs = 3000;

/** What commands need of a realm. What is loaded, and who writes, changes over time. */
export interface ExecutingRealm {
  readonly environment: RealmEnvironment;
  readonly commands: CommandTable;
  loaded(): LoadedRealm | undefined;
  /** Undefined on a node that does not write. */
  writer(): Writer | undefined;
  membership(): Membership | undefined;
  activate(): Promise<void>;
}

interface Done {
  reply: unknown;
  position: LogPosition;
}

export class Execution {
  /** Commands that try again when the one that looks for a writer has found it, in their order. */
  #following: (() => void)[] = [];
  #isLooking = false;
  readonly #health: CommandHealth;

  constructor(private readonly realm: ExecutingRealm) {
    // Requests wait for that long anyway.
    this.#health = new CommandHealth(Math.max(realm.environment.limits.commandDeadlineMs / 2, leastPatienceMs));
  }

  /** See `ServedRealm.execute`. */
  execute<N extends CommandName>(name: N, args: ArgsOf<N>, from?: Origin): Promise<ReplyOf<N>> {
    return this.#health.watch(() =>
      this.#traced(name, "internal", from, (traced) => this.#execute(name, args, traced)),
    );
  }

  /** @param trouble that is known already @param withinMs that counts as of late */
  changeHealth(trouble: string | undefined, withinMs: number): ChangeHealth {
    const found = trouble ?? this.#health.trouble(this.realm.loaded()?.newestStored);
    return { trouble: found, isProven: found === undefined && this.#health.hasStored(withinMs) };
  }

  async #execute<N extends CommandName>(name: N, args: ArgsOf<N>, from?: Origin): Promise<ReplyOf<N>> {
    const { commandDeadlineMs } = this.realm.environment.limits;
    const deadline = performance.now() + commandDeadlineMs;
    let looks = false;
    try {
      for (;;) {
        try {
          let [parts, counted] = [0, 0];
          const attempt = this.#attempt(name, args, from, () => {
            parts++;
            this.#health.answered();
          });
          // A long command gets the full time again with each part.
          return await inTime(attempt, commandDeadlineMs, { getsOn: () => counted < (counted = parts) });
        } catch (error) {
          if (!(error instanceof NotBegun)) throw error;
          if (performance.now() > deadline)
            throw errors.SERVICE_UNAVAILABLE("The organization cannot be changed right now; nothing was done.");
          // Hundreds that ask at once, again and again, would keep the nodes from getting anywhere.
          if (!looks && this.#isLooking) await this.#follow();
          else {
            looks = this.#isLooking = true;
            await delay(retryMs);
          }
          await this.realm.activate();
        }
      }
    } finally {
      if (looks) this.#found();
    }
  }

  /** Resolves when the command that looks for a writer has ended. */
  async #follow(): Promise<void> {
    const over = new AbortController();
    const found = new Promise<void>((resolve) => this.#following.push(resolve));
    await Promise.race([found, delay(followMs, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }

  #found(): void {
    this.#isLooking = false;
    for (const resolve of this.#following.splice(0)) resolve();
  }

  /**
   * Runs a command that another node forwarded. This one may have a successor that it has not heard of. So it decides
   * nothing, and refuses nothing, before it knows as much as the caller may.
   *
   * @throws NotBegun when this node is not the writer, or that node is ahead of it
   */
  async executeFor({ name, args, by, seen = 0, from }: ForwardedCommand): Promise<Done> {
    const loaded = this.realm.loaded();
    if (!loaded || !this.realm.writer()) throw new NotBegun();
    const { log } = this.realm.environment;
    if (log.isLevelEnabled?.("debug"))
      log.debug?.(
        { realm: loaded.state.id, command: name, request: from?.request },
        "a command came from another node",
      );
    if (seen > loaded.position && !(await this.#learns(loaded, seen))) throw new NotBegun();
    checkCaller(loaded.state, args, by);
    return this.#traced(`take ${name}`, "server", from, (traced) => this.executeHere(name, args, traced));
  }

  /** Whether this node still writes, and its commits come to be that far: that node may have read one before this. */
  async #learns(loaded: LoadedRealm, seen: LogPosition): Promise<boolean> {
    const isThere = loaded.progress.isSoonAt(seen);
    // Ends the term if it is over.
    const checked = loaded.progress.checkEpoch().catch(() => isThere);
    await Promise.race([isThere, checked]);
    const writes = () => this.realm.loaded() === loaded && this.realm.writer() !== undefined;
    return writes() && (await isThere) && writes();
  }

  /** Runs a command here. @throws NotBegun when this node is not the writer */
  async executeHere(name: string, args: unknown, from?: Origin, onPart?: () => void): Promise<Done> {
    const [loaded, writer] = [this.realm.loaded(), this.realm.writer()];
    const { commands } = this.realm;
    if (!loaded || !writer || !Object.hasOwn(commands, name)) throw new NotBegun();
    const command = commands[name] as Command<unknown, unknown>;
    return writer.submit(await prepare(command, loaded, args), onPart, { args, from });
  }

  /** Has the writer's node run a command. @throws NotBegun when none is known */
  async forward(
    name: string,
    args: unknown,
    from?: Origin,
    deadlineMs = this.realm.environment.limits.commandDeadlineMs,
  ): Promise<Done> {
    const [loaded, membership] = [this.realm.loaded(), this.realm.membership()];
    if (!membership) throw new NotBegun();
    if (!loaded) throw errors.SERVICE_UNAVAILABLE("The organization is being loaded again.");
    const by = callerOf(loaded.state, args);
    return this.#traced(`forward ${name}`, "client", from, (traced) =>
      membership.forward({ name, args, by, seen: loaded.position, ...(traced && { from: traced }) }, deadlineMs),
    );
  }

  /** Runs a part of a command, in a span of its own if it is traced. */
  #traced<T>(
    name: string,
    kind: SpanKind,
    from: Origin | undefined,
    run: (from: Origin | undefined) => Promise<T>,
  ): Promise<T> {
    const trace = from?.trace;
    const span = trace === undefined ? undefined : this.realm.environment.tracer?.within(trace, name, kind);
    return span ? inSpan(span, () => run({ ...from!, trace: span.traceparent })) : run(from);
  }

  async #attempt<N extends CommandName>(
    name: N,
    args: ArgsOf<N>,
    from: Origin | undefined,
    onPart: () => void,
  ): Promise<ReplyOf<N>> {
    const isHere = this.realm.writer() !== undefined;
    const { reply, position } = await (isHere
      ? this.executeHere(name, args, from, onPart)
      : this.forward(name, args, from));
    // The realm was dropped meanwhile: its next load includes the command.
    const loaded = this.realm.loaded();
    if (loaded && position > loaded.position) await loaded.progress.reached(position);
    return reply as ReplyOf<N>;
  }
}

/** @throws NotBegun when PostgreSQL went away before the command came to be decided */
async function prepare(command: Command<unknown, unknown>, loaded: LoadedRealm, args: unknown): Promise<Work<unknown>> {
  try {
    return await command({ realm: loaded, state: loaded.state, database: loaded.database.vital }, args);
  } catch (error) {
    const cause = translate(error);
    if (mayBeLoss(cause) || cause instanceof StorageConflict) throw new NotBegun();
    throw error;
  }
}
