/**
 * Summaries by a language model, at any address that speaks the API of OpenAI's chat completions. One is kept under
 * the hash of what the model was asked: the names and texts of just these messages. So an edit, a new message or a move
 * asks anew, and only readers of the same messages share a summary. Who asks for one that is being made waits for it. A
 * request ends when nobody waits for it any more.
 */
import { createHash } from "node:crypto";
import type { UserId } from "../../storage/ids.ts";
import { badRequest, errors } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { AddressRule } from "../outbound/allowed-addresses.mjs";
import { answeredJson, askOutside, type Outcome } from "../outbound/ask-outside.ts";
import { memberOf } from "../text/json-object.ts";
import { beginning, storable } from "../text/texts.ts";
import { maxSummaryLength, type Said, summaryPrompts } from "./prompts.ts";

/** Where a language model is. */
export interface LanguageModel {
  /** Of the API, as `https://api.example.com/v1`. */
  url: string;
  model: string;
  key: string | undefined;
  timeoutMs: number;
}

/** Summaries that a node has made at the same time. */
const maxUnderWay = 8;
/** Summaries that a node keeps, and for how long: texts that were deleted are soon forgotten. */
const maxKept = 500;
const keptSecs = 3600;
/** Tokens of an answer, and its bytes with everything around it. */
const maxTokens = 600;
const maxAnswerBytes = 128 * 1024;

/** Who asks. */
export interface SummaryReader {
  id: UserId;
  /** Fires when they wait no more. */
  signal: AbortSignal;
  /** Takes one from their budget. @throws RATE_LIMIT_HIT */
  pay(): Promise<void>;
}

interface UnderWay {
  key: string;
  summary: Promise<string>;
  waiting: number;
  ending: AbortController;
}

export class Summaries {
  readonly #kept = new Map<string, { summary: string; until: number }>();
  readonly #underWay = new Map<string, UnderWay>();
  /** People who have one made. */
  readonly #askers = new Set<UserId>();

  constructor(
    private readonly model: LanguageModel,
    private readonly isAllowed: AddressRule,
    private readonly log: Logger,
    private readonly clock: () => number,
  ) {}

  /**
   * A summary in Markdown.
   *
   * @throws BAD_REQUEST where the model gives none; RATE_LIMIT_HIT over the budget, or while the reader waits for
   * another
   */
  async of(conversation: readonly Said[], reader: SummaryReader): Promise<string> {
    const body = JSON.stringify({
      model: this.model.model,
      messages: summaryPrompts(conversation),
      max_tokens: maxTokens,
      stream: false,
    });
    const key = createHash("sha256").update(body).digest("base64url");
    const kept = this.#find(key);
    if (kept !== undefined) return kept;
    if (this.#askers.has(reader.id)) throw errors.RATE_LIMIT_HIT({ "retry-after": 1 });
    this.#askers.add(reader.id);
    try {
      if (!this.#underWay.has(key)) await reader.pay();
      return await this.#wait(this.#underWay.get(key) ?? this.#begin(key, body), reader.signal);
    } finally {
      this.#askers.delete(reader.id);
    }
  }

  /** Readers that wait for a summary. */
  get waiting(): number {
    return [...this.#underWay.values()].reduce((sum, { waiting }) => sum + waiting, 0);
  }

  #find(key: string): string | undefined {
    const kept = this.#kept.get(key);
    return kept && kept.until > this.clock() ? kept.summary : undefined;
  }

  /** @throws RATE_LIMIT_HIT */
  #begin(key: string, body: string): UnderWay {
    if (this.#underWay.size >= maxUnderWay) throw errors.RATE_LIMIT_HIT({ "retry-after": 5 });
    const ending = new AbortController();
    const summary = this.#ask(body, ending.signal);
    const begun: UnderWay = { key, summary, waiting: 0, ending };
    this.#underWay.set(key, begun);
    summary.then(
      (made) => this.#keep(key, made),
      () => {},
    );
    return begun;
  }

  /** The summary, unless the reader leaves before it is made. */
  async #wait(underWay: UnderWay, signal: AbortSignal): Promise<string> {
    underWay.waiting++;
    let leave = () => {};
    const gone = new Promise<never>((_, reject) => {
      leave = () => reject(badRequest("Nobody waits for this summary any more."));
      signal.addEventListener("abort", leave, { once: true });
      if (signal.aborted) leave();
    });
    try {
      return await Promise.race([underWay.summary, gone]);
    } finally {
      signal.removeEventListener("abort", leave);
      if (--underWay.waiting === 0) this.#end(underWay);
    }
  }

  /** Whoever asks from now on asks anew. What is still on its way is not waited for. */
  #end(underWay: UnderWay): void {
    underWay.ending.abort();
    if (this.#underWay.get(underWay.key) === underWay) this.#underWay.delete(underWay.key);
  }

  #keep(key: string, summary: string): void {
    for (const [old, { until }] of this.#kept) {
      if (this.#kept.size < maxKept && until > this.clock()) break;
      this.#kept.delete(old);
    }
    this.#kept.set(key, { summary, until: this.clock() + keptSecs });
  }

  /** @throws BAD_REQUEST */
  async #ask(body: string, signal: AbortSignal): Promise<string> {
    const { url, key, timeoutMs } = this.model;
    const outcome = await askOutside({
      method: "POST",
      url: `${url}/chat/completions`,
      headers: {
        "User-Agent": "Parley",
        "Content-Type": "application/json",
        Accept: "application/json",
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
      },
      body,
      isAllowed: this.isAllowed,
      timeoutMs,
      maxBytes: maxAnswerBytes,
      signal,
    });
    const summary = summaryIn(outcome);
    if (summary !== undefined) return summary;
    const failure =
      "failure" in outcome ? outcome.failure : `its answer, with status ${outcome.status}, has no summary`;
    if (!signal.aborted) this.log.warn({ failure }, "a language model made no summary");
    throw badRequest("The language model made no summary. Please try again later.");
  }
}

/** What an answer of a model says; undefined for anything else. */
function summaryIn(outcome: Outcome): string | undefined {
  const answer = answeredJson(outcome);
  const choices = memberOf(answer, "choices");
  const content = memberOf(memberOf(Array.isArray(choices) ? choices[0] : undefined, "message"), "content");
  if (typeof content !== "string" || content.trim() === "") return undefined;
  return beginning(storable(content.trim()), maxSummaryLength);
}
