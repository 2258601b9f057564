/** What people do beside the sends that are measured. Where it may, the server asks somebody who never answers. */
import type { Member } from "../harness/community.ts";
import type { Parley } from "../harness/parley.ts";
import type { Setup } from "../harness/setup.ts";
import { basic } from "../load/request.ts";
import type { Silence } from "./silence.ts";

interface Place {
  /** For what is measured by nobody. */
  channelId: number;
  silence: Silence;
  /** Whether the bot has a server of its own. All else is as the settings of the server say. */
  isAsked: boolean;
}

export class Aside {
  #rounds = 0;
  readonly #gone = new AbortController();

  private constructor(
    private readonly parley: Parley,
    private readonly members: readonly Member[],
    private readonly place: Place,
  ) {}

  static async begin(setup: Setup, parley: Parley, members: readonly Member[], place: Place): Promise<Aside> {
    const aside = new Aside(parley, members, place);
    setup.atEnd(async () => aside.#gone.abort());
    await parley.call("PATCH", "/api/v1/realm", { inline_url_embed_preview: true });
    const bot = {
      full_name: "Silent",
      short_name: "silent",
      ...(place.isAsked ? { bot_type: 3, payload_url: JSON.stringify(place.silence.botUrl) } : { bot_type: 1 }),
    };
    await parley.call("POST", "/api/v1/bots", bot);
    const [, reader] = members;
    await parley.call("POST", "/api/v1/users/me/android_gcm_reg_id", { token: "a".repeat(32) }, reader);
    return aside;
  }

  /** One round of all of it. What would wait for an answer is not waited for. */
  async ask(): Promise<void> {
    const { parley, members, place } = this;
    const [writer, reader] = members;
    const round = ++this.#rounds;
    const say = (content: string, to: unknown, type = "channel") =>
      parley.call(
        "POST",
        "/api/v1/messages",
        { type, to, topic: `round ${round}`, content },
        type === "channel" ? undefined : writer,
      );
    await say(`@**Silent** are you there? ${round}`, [place.channelId]);
    if (place.silence.siteUrl) await say(`${place.silence.siteUrl}/${round}`, [place.channelId]);
    await say(`For your phone, ${round}`, [reader!.userId], "direct");
    const narrow = [
      { operator: "channel", operand: place.channelId },
      { operator: "topic", operand: `round ${round}` },
    ];
    const url = new URL(`http://127.0.0.1:${parley.port}/api/v1/messages/summary`);
    url.searchParams.set("narrow", JSON.stringify(narrow));
    void fetch(url, { headers: { authorization: basic(parley.owner) }, signal: this.#gone.signal }).catch(() => {});
  }

  told(): string {
    return `${this.#rounds} rounds of asking.`;
  }
}
