/**
 * Which language the page speaks: that of the account, and before log-in the first of the browser's that the page has,
 * or the organization's. The browser stores it, so the next start has it at once.
 */
import { effect } from "@preact/signals";
import type { Store } from "../model/store.ts";
import { firstOf, type Language, languageOf } from "./languages.ts";
import { speak, spoken } from "./speaking.ts";

const storageKey = "parley.language";

/** Speaks the language of the last time, or the browser's. Called before anything is drawn. */
export async function speakFirst(): Promise<void> {
  await tryToSpeak(lastLanguage() ?? firstOf(navigator.languages) ?? "en");
}

function lastLanguage(): Language | undefined {
  try {
    return languageOf(localStorage.getItem(storageKey) ?? "");
  } catch {
    // Storage is forbidden: the browser's language is used.
    return undefined;
  }
}

/** Without an answer of the server the language stays as it is, and the next start tries again. */
const tryToSpeak = (language: Language): Promise<void> => speak(language).catch(() => {});

export class Speech {
  constructor(private readonly store: Store) {
    effect(() => {
      const language = this.#wanted;
      if (!language) return;
      if (spoken.peek().language !== language) void tryToSpeak(language);
      try {
        localStorage.setItem(storageKey, language);
      } catch {
        // Storage is forbidden: only the next start has to do without.
      }
    });
  }

  /** Undefined until the state is there. */
  get #wanted(): Language | undefined {
    const { user_settings: settings } = this.store.read("settings");
    if (settings) return languageOf(String(settings["default_language"])) ?? "en";
    const ofRealm = this.store.read("realm")["realm_default_language"];
    if (ofRealm === undefined) return undefined;
    return firstOf(navigator.languages) ?? languageOf(String(ofRealm)) ?? "en";
  }
}
