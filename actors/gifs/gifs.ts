/**
 * GIFs of the provider that the operator names. The server asks, so that the provider hears words and no person. What
 * was found is kept for some minutes: many look for the same, or for what many send. Previews are at addresses of this
 * server (`http/external-content/`).
 */
import { errors } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { ExternalContent } from "../markdown/rendering.ts";
import type { AddressRule } from "../outbound/allowed-addresses.mjs";
import { answeredJson, askOutside, type Outcome } from "../outbound/ask-outside.ts";
import {
  addressReader,
  type FoundGif,
  type GifPage,
  type GifProvider,
  type GifProviderName,
  type GifQuestion,
  gifProviders,
} from "./providers.ts";

/** Where GIFs come from. */
export interface GifSettings {
  provider: GifProviderName;
  key: string;
  /** Of the API; undefined: the provider's own. */
  url: string | undefined;
}

/** One as the API tells of it. */
export interface ShownGif extends Omit<FoundGif, "preview"> {
  preview_url: string;
}
export interface ShownGifs {
  gifs: ShownGif[];
  next: string;
}

/** Whoever looks waits before an open picker. */
const timeoutMs = 8_000;
/** A page has some hundred bytes of each rendition. */
const maxAnswerBytes = 1024 * 1024;
/** Questions that a node asks at once. */
const maxUnderWay = 8;
/** Pages that a node keeps, and for how long. */
const maxKept = 500;
const keptSecs = 600;

interface Surroundings {
  isAllowed: AddressRule;
  /** Makes an address of this server of one elsewhere. */
  sign: ExternalContent;
  log: Logger;
  /** UNIX seconds. */
  clock(): number;
}

export class Gifs {
  readonly name: GifProviderName;
  readonly #provider: GifProvider;
  readonly #url: string;
  readonly #kept = new Map<string, { page: ShownGifs; until: number }>();
  readonly #underWay = new Map<string, Promise<ShownGifs>>();

  constructor(
    private readonly settings: GifSettings,
    private readonly around: Surroundings,
  ) {
    this.name = settings.provider;
    this.#provider = gifProviders[settings.provider];
    this.#url = settings.url ?? this.#provider.url;
  }

  /**
   * What was found, a page at a time.
   *
   * @param pay takes one from the budget of whoever has the provider asked; throws RATE_LIMIT_HIT
   * @throws GIFS_UNAVAILABLE where the provider gives none; RATE_LIMIT_HIT over the budget, or while many are asked
   */
  async find(question: GifQuestion, pay: () => Promise<void>): Promise<ShownGifs> {
    const key = JSON.stringify([question.words, question.from, question.rating, question.language]);
    const kept = this.#kept.get(key);
    if (kept && kept.until > this.around.clock()) return kept.page;
    const known = this.#underWay.get(key);
    if (known) return known;
    await pay();
    return this.#underWay.get(key) ?? this.#begin(key, question);
  }

  /** @throws RATE_LIMIT_HIT, GIFS_UNAVAILABLE */
  #begin(key: string, question: GifQuestion): Promise<ShownGifs> {
    if (this.#underWay.size >= maxUnderWay) throw errors.RATE_LIMIT_HIT({ "retry-after": 1 });
    const asked = this.#ask(question).then((page) => {
      this.#keep(key, page);
      return page;
    });
    this.#underWay.set(key, asked);
    return asked.finally(() => this.#underWay.delete(key));
  }

  #keep(key: string, page: ShownGifs): void {
    for (const [old, { until }] of this.#kept) {
      if (this.#kept.size < maxKept && until > this.around.clock()) break;
      this.#kept.delete(old);
    }
    this.#kept.set(key, { page, until: this.around.clock() + keptSecs });
  }

  /** @throws GIFS_UNAVAILABLE */
  async #ask(question: GifQuestion): Promise<ShownGifs> {
    const { isAllowed, log } = this.around;
    const outcome = await askOutside({
      method: "GET",
      url: this.#url + this.#provider.ask(question, this.settings.key),
      headers: { "User-Agent": "Parley", Accept: "application/json" },
      body: "",
      isAllowed,
      timeoutMs,
      maxBytes: maxAnswerBytes,
    });
    const page = this.#read(outcome, question);
    if (page) return this.#shown(page);
    // The address has the key in it, and is not told.
    const failure =
      "failure" in outcome ? outcome.failure : `its answer, with status ${outcome.status}, has no list of GIFs`;
    log.warn({ provider: this.name, failure }, "a provider of GIFs found none");
    throw errors.GIFS_UNAVAILABLE();
  }

  /** Undefined for what is no answer. One without GIFs is. */
  #read(outcome: Outcome, question: GifQuestion): GifPage | undefined {
    return this.#provider.read(answeredJson(outcome), question, addressReader(this.#provider, this.#url));
  }

  #shown({ gifs, next }: GifPage): ShownGifs {
    const { sign } = this.around;
    const shown = gifs.flatMap(({ preview, ...gif }) => {
      const address = sign(preview);
      return address === undefined ? [] : [{ ...gif, preview_url: address }];
    });
    return { gifs: shown, next };
  }
}
