/** What emails say, in the language of whom they are for. */
import type { UserRow } from "../../../storage/rows.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { type Language, languageOf, type Translated } from "../../text/languages.ts";
import { userSetting } from "../../users/settings/settings.ts";
import { words as ar } from "./ar.ts";
import { words as de } from "./de.ts";
import { words as en } from "./en.ts";
import { words as es } from "./es.ts";
import { words as fr } from "./fr.ts";
import { words as ja } from "./ja.ts";
import { words as chinese } from "./zh-hans.ts";

export type LetterWords = Translated<typeof en>;

const tables: Readonly<Record<Language, LetterWords>> = { en, de, fr, es, ja, "zh-hans": chinese, ar };

/** The language of an account, or of the organization for whoever has none. English for one that has no words here. */
export const languageFor = (state: RealmState, user: UserRow | undefined): Language =>
  languageOf(user ? userSetting(user, "default_language") : state.setting("default_language")) ?? "en";

export const wordsIn = (language: Language): LetterWords => tables[language];

/** A program and its system, each empty where it is not known. Empty when both are. */
export const programIn = (language: Language, { program, system }: { program: string; system: string }): string =>
  program !== "" && system !== "" ? wordsIn(language).programOn(program, system) : program || system;
