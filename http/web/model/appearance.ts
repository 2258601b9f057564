/**
 * The colour scheme (light, dark or the system's) and the text size. The browser stores them, so the next start has
 * them at once.
 */
import { effect } from "@preact/signals";
import type { Store } from "./store.ts";

const storageKey = "parley.appearance";
/** `color_scheme`. https://zulip.com/api/update-settings */
const schemes: Readonly<Record<number, string>> = { 1: "", 2: "dark", 3: "light" };

interface Look {
  scheme: string;
  fontSizePx: number;
}

/** Called before anything is drawn. */
export function showLastLook(): void {
  try {
    show(JSON.parse(localStorage.getItem(storageKey) ?? "null") as Look | null);
  } catch {
    // Storage is forbidden: the system's colour scheme is used.
  }
}

function show(look: Look | null): void {
  if (!look) return;
  const root = document.documentElement;
  if (look.scheme === "") delete root.dataset["scheme"];
  else root.dataset["scheme"] = look.scheme;
  root.style.setProperty("--text", `${look.fontSizePx}px`);
}

export class Appearance {
  constructor(private readonly store: Store) {
    effect(() => {
      const settings = this.store.read("settings").user_settings;
      if (!settings) return;
      const look: Look = {
        scheme: schemes[settings.color_scheme ?? -1] ?? "",
        // The setting has the scale of Zulip's page, whose default was 14 and is now 16.
        fontSizePx: Math.max(15, Math.min(22, settings.web_font_size_px ?? 15)),
      };
      show(look);
      try {
        localStorage.setItem(storageKey, JSON.stringify(look));
      } catch {
        // Storage is forbidden: only the next start has to do without.
      }
    });
  }
}
