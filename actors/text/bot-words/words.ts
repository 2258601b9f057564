/** What the organization's bots say: in a channel by the organization's language, to a person by their account's. */
import type { Language } from "../languages.ts";
import { words as ar } from "./ar.ts";
import { words as de } from "./de.ts";
import { type BotWords, words as en } from "./en.ts";
import { words as es } from "./es.ts";
import { words as fr } from "./fr.ts";
import { words as ja } from "./ja.ts";
import { words as chinese } from "./zh-hans.ts";

export const botWords: Readonly<Record<Language, BotWords>> = { en, de, fr, es, ja, "zh-hans": chinese, ar };
