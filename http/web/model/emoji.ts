/**
 * Emoji by name and by code: the organization's own, and those of Unicode. The table of the latter is fetched on first
 * use.
 */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Reaction } from "../../client/types.ts";
import { kept, textsOf } from "../kept.ts";
import type { Store } from "./store.ts";

export interface Emoji {
  name: string;
  code: string;
  type: Reaction["reaction_type"];
  /** The characters, or the URL of the picture. */
  text: string;
  url?: string | undefined;
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

/** Characters that take a tone of skin, unless what they are in takes none: families, wrestlers, people with ears. */
const takesTone = /\p{Emoji_Modifier_Base}/u;
const takesNone = /[\u{1f46a}\u{1f46f}\u{1f93c}]|(?<=\u200d)[\u{1f466}\u{1f467}\u{1f9d2}]/u;
const handshake = "\u{1f91d}";

/** The characters of an emoji with a tone of skin; as they are, if it takes none. */
export function withTone(text: string, tone: string): string {
  if (tone === "" || takesNone.test(text)) return text;
  const characters = [...text];
  // Hands that two people hold are part of the two.
  const isBase = (one: string): boolean => takesTone.test(one) && (one !== handshake || characters.length <= 2);
  return characters
    .flatMap((one, at) =>
      isBase(one) ? [one, tone] : one === asPicture && isBase(characters[at - 1] ?? "") ? [] : one,
    )
    .join("");
}

/** Whether an emoji has a tone of skin, which no name tells. */
export const isToned = ({ text }: Emoji): boolean => /\p{Emoji_Modifier}/u.test(text);

/** The one emoji that every server has besides those of Unicode. */
const extraEmoji = "/static/generated/emoji/images/emoji/unicode/zulip.png";

/** Emoji that are offered first. */
export const popular: readonly string[] = ["+1", "tada", "smile", "heart", "working_on_it", "octopus"];

/** One press away on phones. */
export const quickReactions: readonly Emoji[] = (
  [
    ["+1", "1f44d"],
    ["heart", "2764"],
    ["joy", "1f602"],
    ["tada", "1f389"],
    ["eyes", "1f440"],
    ["pray", "1f64f"],
  ] as const
).map(([name, code]) => ({ name, code, type: "unicode_emoji", text: charactersOf(code) }));

/** The server's table. A server of an older version tells no catalog. */
interface EmojiData {
  code_to_names: Record<string, readonly string[]>;
  emoji_catalog?: Record<string, readonly string[]>;
}

/** What was chosen last in this browser, newest first. */
const recentKey = "parley.emoji";
const maxRecent = 16;

export interface EmojiGroup {
  name: string;
  emoji: readonly Emoji[];
}

const keyOf = ({ type, code }: Emoji): string => `${type}:${code}`;

const recentKeys = (): string[] => textsOf(kept(recentKey));

export class EmojiTable {
  readonly #unicode: Signal<readonly Emoji[]> = signal([]);
  readonly #catalog: Signal<Readonly<Record<string, readonly string[]>>> = signal({});
  readonly #all: ReadonlySignal<readonly Emoji[]>;
  #isFetched = false;

  constructor(private readonly store: Store) {
    this.#all = computed(() => {
      const own = this.own;
      const names = new Set(own.map(({ name }) => name));
      return [...own, ...this.#unicode.value.filter(({ name }) => !names.has(name))];
    });
  }

  /** Fetches the table, once. */
  fetch(): void {
    if (this.#isFetched) return;
    this.#isFetched = true;
    fetch("/static/emoji/emoji-data.json")
      .then((response): Promise<EmojiData> => response.json())
      .then(({ code_to_names, emoji_catalog = { "": Object.keys(code_to_names) } }) => {
        this.#catalog.value = emoji_catalog;
        this.#unicode.value = Object.entries(code_to_names).flatMap(([code, names]) =>
          names.map((name): Emoji => ({ name, code, type: "unicode_emoji", text: charactersOf(code) })),
        );
      })
      .catch(() => {
        this.#isFetched = false;
      });
  }

  get own(): readonly Emoji[] {
    return Object.values(this.store.read("realm").realm_emoji ?? {})
      .filter(({ deactivated }) => !deactivated)
      .map(({ id, name, source_url }) => ({ name, code: id, type: "realm_emoji", text: `:${name}:`, url: source_url }));
  }

  get all(): readonly Emoji[] {
    this.fetch();
    return this.#all.value;
  }

  /** How many of Unicode are known: none before something asked for them. */
  get known(): number {
    return this.#unicode.value.length;
  }

  /** All emoji once, by group: the recent ones, the organization's, those of Unicode by category. */
  groups(): EmojiGroup[] {
    const byCode = new Map<string, Emoji>();
    // An emoji comes first under the name that it is best known by.
    for (const emoji of this.all) if (!byCode.has(keyOf(emoji))) byCode.set(keyOf(emoji), emoji);
    const listed = (keys: readonly string[]): Emoji[] => keys.flatMap((key) => byCode.get(key) ?? []);
    const often = popular.flatMap((name) => this.byName(name) ?? []).map(keyOf);
    return [
      { name: "recent", emoji: listed([...new Set([...recentKeys(), ...often])].slice(0, maxRecent)) },
      { name: "own", emoji: this.own },
      ...Object.entries(this.#catalog.value).map(([name, codes]) => ({
        name,
        emoji: listed(codes.map((code) => `unicode_emoji:${code}`)),
      })),
    ].filter(({ emoji }) => emoji.length > 0);
  }

  /** Notes that an emoji was chosen. */
  use(emoji: Emoji): void {
    const keys = [keyOf(emoji), ...recentKeys().filter((key) => key !== keyOf(emoji))];
    localStorage.setItem(recentKey, JSON.stringify(keys.slice(0, maxRecent)));
  }

  search(text: string, limit: number): Emoji[] {
    const wanted = text.toLowerCase().replace(/[\s-]+/g, "_");
    const rank = ({ name }: Emoji): number =>
      name === wanted ? 0 : name.startsWith(wanted) ? (popular.includes(name) ? 1 : 2) : 3;
    return this.all
      .filter(({ name }) => name.includes(wanted))
      .sort((a, b) => rank(a) - rank(b) || a.name.length - b.name.length)
      .slice(0, limit);
  }

  byName(name: string): Emoji | undefined {
    return this.all.find((emoji) => emoji.name === name);
  }

  /** The emoji of a reaction or of a status. */
  of({ emoji_code, emoji_name, reaction_type }: Pick<Reaction, "emoji_code" | "emoji_name" | "reaction_type">): Emoji {
    if (reaction_type === "unicode_emoji")
      return { name: emoji_name, code: emoji_code, type: reaction_type, text: charactersOf(emoji_code) };
    const table = this.store.read("realm").realm_emoji;
    const url = reaction_type === "zulip_extra_emoji" ? extraEmoji : table?.[emoji_code]?.source_url;
    return { name: emoji_name, code: emoji_code, type: reaction_type, text: `:${emoji_name}:`, url };
  }
}
