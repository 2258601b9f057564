/** What pages say to people who are not logged in, in the language of their browser or else of the organization. */
import { languageFor } from "../../../actors/email/words/words.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { type Language, languageOf } from "../../../actors/text/languages.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { Exchange } from "../../server/exchange.ts";
import { words as ar } from "./ar.ts";
import { words as de } from "./de.ts";
import { words as en, type PageWords } from "./en.ts";
import { words as es } from "./es.ts";
import { words as fr } from "./fr.ts";
import { words as ja } from "./ja.ts";
import { words as chinese } from "./zh-hans.ts";

export type { PageWords } from "./en.ts";

const tables: Readonly<Record<Language, PageWords>> = { en, de, fr, es, ja, "zh-hans": chinese, ar };
/** Characters of `Accept-Language` that are looked at. */
const maxHeader = 200;

/** The tags of an `Accept-Language`, the most wanted first. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.4 */
function tagsOf(header: string): string[] {
  return header
    .slice(0, maxHeader)
    .split(",")
    .map((item) => {
      const [tag = "", ...params] = item.split(";").map((part) => part.trim());
      const quality = params.find((param) => param.startsWith("q="))?.slice(2);
      return { tag, wanted: quality === undefined ? 1 : Number(quality) || 0 };
    })
    .filter(({ wanted }) => wanted > 0)
    .sort((one, other) => other.wanted - one.wanted)
    .map(({ tag }) => tag);
}

/** The language of a page for a browser that is not logged in. */
export function languageAsked({ acceptLanguage }: Pick<Exchange, "acceptLanguage">, state: RealmState): Language {
  for (const tag of tagsOf(acceptLanguage)) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return languageOf(state.setting("default_language")) ?? "en";
}

/** Who asks for a page. */
export interface Asking {
  exchange: Exchange;
  realm: { state: RealmState };
  /** Whoever is logged in. */
  user?: UserRow | undefined;
}

/** The language of a page for whoever asks for it: that of their account, or else of their browser. */
export const languageOfPage = ({ exchange, realm: { state }, user }: Asking): Language =>
  user ? languageFor(state, user) : languageAsked(exchange, state);

export const pageWords = (language: Language): PageWords => tables[language];
