import { expect, test } from "vitest";
import { isLegible } from "../../../actors/text/legible-name.ts";

test.each(["Ann", "علی‌رضا", "עמית\u200f", "👩‍💻", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "नमस्ते", "Zoë", "1", "-", "a\u0301"])("%j is a name", (name) => {
  expect(isLegible(name)).toBe(true);
});

test.each([
  ["nothing", ""],
  ["only spaces", " \u3000\u2003"],
  ["only joiners", "\u200d\u200c"],
  ["only marks", "\u0301\ufe0f"],
  ["a filler that looks like a space", "\u3164"],
  ["only empty Braille", "\u2800"],
  ["a space without width", "gen\u200beral"],
  ["a byte order mark", "\ufeffAnn"],
  ["a soft hyphen", "An\u00adn"],
  ["an override of direction", "\u202egnp.exe"],
  ["an isolate", "a\u2066b"],
  ["a line separator", "a\u2028b"],
  ["a control character", "a\u0007b"],
])("%s is none", (_what, name) => {
  expect(isLegible(name)).toBe(false);
});
