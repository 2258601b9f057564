/** Runs the commands that other processes forward to this one, each at most once, and answers them. */
import { setTimeout as delay } from "node:timers/promises";
import type { Bus } from "../../storage/cluster/bus.ts";
import type { RealmId } from "../../storage/ids.ts";
import { translate } from "../../storage/postgres.ts";
import { ApiError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { outcomeOf } from "../realm/commit/outcomes.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { Member } from "../realm/coordination.ts";
import type { CommandMessage, NodeMessage } from "./node-messages.ts";
import { TakenCommands } from "./taken-commands.ts";

/**
 * A node that ends its term waits this long for its answers to be sent. Other nodes wait as long for them
 * (`forwarding.ts`).
 */
const answersWithinMs = 1000;

export class CommandTaker {
  readonly #taken = new TakenCommands();
  /** The commands of other nodes that are not answered yet. */
  readonly #answering = new Set<Promise<void>>();

  constructor(
    private readonly bus: Bus,
    private readonly log: Logger,
    private readonly memberOf: (realm: RealmId) => Member | undefined,
  ) {}

  /** Runs a command unless it was taken before. Resolves when the answer is on its way. */
  take(from: string, message: CommandMessage): Promise<void> {
    const answering = this.#answer(from, message).finally(() => this.#answering.delete(answering));
    this.#answering.add(answering);
    return answering;
  }

  /** Waits for the answers to the commands taken so far, for a second at most. */
  async answered(): Promise<void> {
    const over = new AbortController();
    const answers = Promise.allSettled([...this.#answering]);
    await Promise.race([answers, delay(answersWithinMs, undefined, { signal: over.signal }).catch(() => {})]);
    over.abort();
  }

  async #answer(from: string, message: CommandMessage): Promise<void> {
    const isAgain = message.kind === "again";
    const { taken, isNew } = this.#taken.take(from, message.id) ?? {};
    if (!taken) return;
    taken.isAskedAgain ||= isAgain;
    if (isNew) taken.answer = await this.#runCommand(message);
    else if (!isAgain || !taken.answer) return;
    // If the answer is lost the other side asks again, until its deadline.
    await this.bus.send(from, taken.answer!, taken.isAskedAgain ? "repeat" : "answer").catch(() => false);
  }

  async #runCommand({ id, realm, name, args, by, seen, from }: CommandMessage): Promise<NodeMessage> {
    try {
      const member = this.memberOf(realm);
      if (!member) throw new NotBegun();
      return {
        kind: "done",
        id,
        ...(await member.execute({ name, args, by, from, ...(seen !== undefined && { seen }) })),
      };
    } catch (thrown) {
      const error = outcomeOf(translate(thrown));
      if (error instanceof NotBegun) return { kind: "refused", id };
      if (error instanceof ApiError) {
        const { status, code, message, extra } = error;
        return { kind: "refused", id, error: { status, code, message, extra } };
      }
      this.log.error({ realm, command: name, request: from?.request, err: error }, "a forwarded command failed");
      const message = "Internal server error";
      return { kind: "refused", id, error: { status: 500, code: "INTERNAL_ERROR", message, extra: {} } };
    }
  }
}
