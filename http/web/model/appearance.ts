/**
 * The colour scheme (light, dark or the system's), the contrast, the text size, the density, and the widths of the
 * sides. The browser stores them, so the next start has them at once.
 */
import { effect, type Signal, signal } from "@preact/signals";
import { kept, membersOf } from "../kept.ts";
import type { Store } from "./store.ts";

const storageKey = "parley.appearance";
/** `color_scheme`. https://zulip.com/api/update-settings */
const schemes: Readonly<Record<number, string>> = { 1: "", 2: "dark", 3: "light" };

/** What a density means by `web_line_height_percent`, whose bounds are 114 and 158 and whose default is 122. */
export const lineHeights = { compact: 114, usual: 122, roomy: 140 } as const;
type Density = keyof typeof lineHeights;

/** The density that comes next to a line height, which other clients set by the percent. */
export const densityOf = (percent: number): Density =>
  percent <= (lineHeights.compact + lineHeights.usual) / 2
    ? "compact"
    : percent < (lineHeights.usual + lineHeights.roomy) / 2
      ? "usual"
      : "roomy";

interface Look {
  scheme: string;
  fontSizePx: number;
  lineHeightPercent?: number;
  /** Whether the person wants a high contrast in any case, and not only where the system asks for it. */
  hasContrast?: boolean;
}

const systemContrast = matchMedia("(prefers-contrast: more)");
let wantsContrast = false;
const showContrast = (): void => {
  document.documentElement.toggleAttribute("data-contrast", wantsContrast || systemContrast.matches);
};

/** Called before anything is drawn. */
export function showLastLook(): void {
  systemContrast.addEventListener("change", showContrast);
  showContrast();
  // Without one the system's colour scheme is used.
  const { scheme, fontSizePx, lineHeightPercent, hasContrast } = membersOf(kept(storageKey));
  if (typeof scheme !== "string" || typeof fontSizePx !== "number") return;
  show({
    ...{ scheme, fontSizePx, hasContrast: hasContrast === true },
    ...(typeof lineHeightPercent === "number" && { lineHeightPercent }),
  });
}

function show(look: Look): void {
  const root = document.documentElement;
  if (look.scheme === "") delete root.dataset["scheme"];
  else root.dataset["scheme"] = look.scheme;
  root.style.setProperty("--text", `${look.fontSizePx}px`);
  const { lineHeightPercent: percent = lineHeights.usual } = look;
  root.style.setProperty("--leading", String(1.5 + (percent - lineHeights.usual) / 100));
  root.dataset["density"] = densityOf(percent);
  wantsContrast = look.hasContrast === true;
  showContrast();
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
        lineHeightPercent: Number(settings["web_line_height_percent"] ?? lineHeights.usual),
        hasContrast: settings["high_contrast_mode"] === true,
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

export type Side = "left" | "right";

const widthsKey = "parley.sides";

/** Widths in pixels. */
export const bounds: Readonly<Record<Side, { usual: number; least: number; most: number }>> = {
  left: { usual: 272, least: 200, most: 480 },
  right: { usual: 248, least: 180, most: 480 },
};

/** How wide the sides are. */
export class SideWidths {
  readonly left: Signal<number>;
  readonly right: Signal<number>;

  constructor() {
    const { left, right } = membersOf(kept(widthsKey));
    this.left = signal(within("left", left));
    this.right = signal(within("right", right));
    effect(() => {
      for (const side of ["left", "right"] as const)
        document.documentElement.style.setProperty(`--${side}`, `${this[side].value}px`);
    });
  }

  /** @param width undefined for the usual one */
  set(side: Side, width: number | undefined): void {
    this[side].value = within(side, width);
    try {
      localStorage.setItem(widthsKey, JSON.stringify({ left: this.left.peek(), right: this.right.peek() }));
    } catch {
      // Storage is forbidden: only the next start has to do without.
    }
  }
}

function within(side: Side, width: unknown): number {
  const { usual, least, most } = bounds[side];
  return typeof width === "number" && Number.isFinite(width)
    ? Math.max(least, Math.min(most, Math.round(width)))
    : usual;
}
