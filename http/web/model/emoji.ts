/**
 * Emoji by name and by code: the organization's own, and those of Unicode. The table of the latter is fetched on first
 * use.
 */
import { type Signal, signal } from "@preact/signals";
import type { Reaction } from "../wire/types.ts";
import type { Store } from "./store.ts";

export interface Emoji {
  name: string;
  code: string;
  type: Reaction["reaction_type"];
  /** The characters, or the URL of the picture. */
  text: string;
  url?: string | undefined;
}

interface RealmEmoji {
  id: string;
  name: string;
  source_url: string;
  deactivated: boolean;
}

/** Asks for the picture of a character that is a letter by itself, such as ❤. https://unicode.org/reports/tr51/ */
const asPicture = "\ufe0f";
const isLetter = (character: string): boolean =>
  /^\p{Emoji}$/u.test(character) && !/\p{Emoji_Presentation}/u.test(character);
/** What says by itself how the character before it looks. */
const isLook = (character: string | undefined): boolean =>
  character !== undefined && /\ufe0f|\p{Emoji_Modifier}/u.test(character);

export const charactersOf = (code: string): string => {
  try {
    const characters = code.split("-").map((part) => String.fromCodePoint(Number.parseInt(part, 16)));
    return characters.map((one, at) => (isLetter(one) && !isLook(characters[at + 1]) ? one + asPicture : one)).join("");
  } catch {
    return "�";
  }
};

/** The one emoji that every server has besides those of Unicode. */
const extraEmoji = "/static/generated/emoji/images/emoji/unicode/zulip.png";

/** Emoji that are offered first. */
export const popular = ["+1", "tada", "smile", "heart", "working_on_it", "octopus"] as const;

export class EmojiTable {
  readonly #unicode: Signal<readonly Emoji[]> = signal([]);
  #isFetched = false;

  constructor(private readonly store: Store) {}

  /** Fetches the table, once. */
  fetch(): void {
    if (this.#isFetched) return;
    this.#isFetched = true;
    fetch("/static/emoji/emoji-data.json")
      .then((response) => response.json() as Promise<{ code_to_names: Record<string, string[]> }>)
      .then(({ code_to_names }) => {
        this.#unicode.value = Object.entries(code_to_names).flatMap(([code, names]) =>
          names.map((name): Emoji => ({ name, code, type: "unicode_emoji", text: charactersOf(code) })),
        );
      })
      .catch(() => {
        this.#isFetched = false;
      });
  }

  get own(): readonly Emoji[] {
    const table = (this.store.read("realm").realm_emoji ?? {}) as unknown as Record<string, RealmEmoji>;
    return Object.values(table)
      .filter(({ deactivated }) => !deactivated)
      .map(({ id, name, source_url }) => ({ name, code: id, type: "realm_emoji", text: `:${name}:`, url: source_url }));
  }

  get all(): readonly Emoji[] {
    this.fetch();
    const own = this.own;
    const names = new Set(own.map(({ name }) => name));
    return [...own, ...this.#unicode.value.filter(({ name }) => !names.has(name))];
  }

  search(text: string, limit: number): Emoji[] {
    const wanted = text.toLowerCase().replace(/[\s-]+/g, "_");
    const rank = ({ name }: Emoji): number =>
      name === wanted ? 0 : name.startsWith(wanted) ? (popular.includes(name as never) ? 1 : 2) : 3;
    return this.all
      .filter(({ name }) => name.includes(wanted))
      .sort((a, b) => rank(a) - rank(b) || a.name.length - b.name.length)
      .slice(0, limit);
  }

  byName(name: string): Emoji | undefined {
    return this.all.find((emoji) => emoji.name === name);
  }

  /** The emoji of a reaction. */
  of({ emoji_code, emoji_name, reaction_type }: Reaction): Emoji {
    if (reaction_type === "unicode_emoji")
      return { name: emoji_name, code: emoji_code, type: reaction_type, text: charactersOf(emoji_code) };
    const table = (this.store.read("realm").realm_emoji ?? {}) as unknown as Record<string, RealmEmoji>;
    const url = reaction_type === "zulip_extra_emoji" ? extraEmoji : table[emoji_code]?.source_url;
    return { name: emoji_name, code: emoji_code, type: reaction_type, text: `:${emoji_name}:`, url };
  }
}
