/**
 * The page of the look, http/web/style/README.md, and the CSS beside it say the same: what text stands out by, and
 * that sizes, corners, colours, spaces and motion are those of the page and no others.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = new URL("../../../../http/web/style/", import.meta.url);
const readme = readFileSync(new URL("README.md", folder), "utf8");
const sheets = readdirSync(folder)
  .filter((name) => name.endsWith(".css"))
  .map((name) => ({ name, css: readFileSync(new URL(name, folder), "utf8").replace(/\/\*[\s\S]*?\*\//g, "") }));
const base = sheets.find(({ name }) => name === "base.css")?.css ?? "";

/** The custom properties of one rule of base.css. */
const propertiesOf = (selector: string): Map<string, string> => {
  const block = base.split(`${selector} {`)[1]?.split("}")[0] ?? "";
  return new Map([...block.matchAll(/--([a-z0-9-]+): ([^;]+);/g)].map(([, name = "", value = ""]) => [name, value]));
};
const usual = propertiesOf(":root");
const highContrast = new Map([...usual, ...propertiesOf(":root[data-contrast]")]);

/** Every declaration outside of the custom properties: where it stands, its property and its value. */
const declarations = sheets.flatMap(({ name, css }) =>
  [...css.matchAll(/[;{]\s*([a-z][a-z-]*):\s*([^;{}]+)(?=[;}])/g)].map(([, property = "", value = ""]) => ({
    at: `${name}: ${property}: ${value}`,
    property,
    value,
  })),
);
const at = (fits: (of: { property: string; value: string }) => boolean): string[] =>
  declarations.filter(fits).map((of) => of.at);

/** The colour that a property has in a scheme, as its three channels from 0 to 1. */
function colorOf(properties: Map<string, string>, name: string, scheme: 0 | 1): number[] {
  const value = properties.get(name) ?? "";
  const hex = /^light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)$/.exec(value)?.[scheme + 1] ?? value;
  expect(hex, `--${name} is one opaque colour for each scheme`).toMatch(/^#[0-9a-f]{6}$/);
  return [1, 3, 5].map((from) => Number.parseInt(hex.slice(from, from + 2), 16) / 255);
}

/** Contrast as WCAG 2.2 defines it. Source: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastOf(properties: Map<string, string>, ink: string, ground: string, scheme: 0 | 1): number {
  const [lighter = 0, darker = 0] = [ink, ground]
    .map((name) => {
      const [red = 0, green = 0, blue = 0] = colorOf(properties, name, scheme).map((channel) =>
        channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((one, other) => other - one);
  return (lighter + 0.05) / (darker + 0.05);
}

const pairs = [...readme.matchAll(/^\| `--([a-z0-9-]+)` on `--([a-z0-9-]+)` \|(.+)\|$/gm)].map(
  ([, ink = "", ground = "", figures = ""]) => ({
    ink,
    ground,
    figures: figures.split("|").map((figure) => figure.trim()),
  }),
);

describe("the look", () => {
  it("text stands out 4.5 to one at least, as the page says, in both schemes and with a high contrast", () => {
    expect(pairs.length).toBeGreaterThan(25);
    for (const { ink, ground, figures } of pairs) {
      const contrasts = [usual, highContrast].flatMap((of) =>
        ([0, 1] as const).map((scheme) => contrastOf(of, ink, ground, scheme)),
      );
      expect(Math.min(...contrasts), `--${ink} on --${ground}`).toBeGreaterThanOrEqual(4.5);
      expect(figures, `--${ink} on --${ground}`).toEqual(contrasts.map((contrast) => contrast.toFixed(1)));
    }
  });

  it("every face is a ground for white letters", () => {
    const faces = [...usual.keys()].filter((name) => name.startsWith("face-"));
    expect(faces).toHaveLength(12);
    for (const face of faces) expect(contrastOf(usual, "on-dark", face, 0), face).toBeGreaterThanOrEqual(4.5);
  });

  it("the page names every colour, size, corner and time, and no other", () => {
    const named = [...readme.matchAll(/`--([a-z0-9-]+)`/g)].map(([, name]) => name);
    const faces = [...usual.keys()].filter((name) => name.startsWith("face-"));
    expect([...new Set(named)].sort()).toEqual(
      [...usual.keys()].filter((name) => !faces.slice(1, -1).includes(name)).sort(),
    );
  });

  it("colours, sizes of text and corners are named ones", () => {
    expect(at(({ value }) => /#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(|\boklch\(/i.test(value))).toEqual([]);
    expect(
      at(({ property, value }) => property === "font-size" && !/^(var\(--(text|size-[a-z]+)\)|1em)$/.test(value)),
    ).toEqual([]);
    expect(
      at(({ property, value }) => property === "font" && !/^(inherit$|var\(--(text|size-[a-z]+)\)\s)/.test(value)),
    ).toEqual([]);
    expect(
      at(
        ({ property, value }) =>
          property.endsWith("radius") &&
          !value.split(/\s+/).every((part) => part === "0" || /^var\(--radius(-[a-z]+)?\)$/.test(part)),
      ),
    ).toEqual([]);
    expect(
      at(
        ({ property, value }) => property === "font-weight" && !["400", "500", "600", "650", "inherit"].includes(value),
      ),
    ).toEqual([]);
  });

  it("spaces are of the scale", () => {
    const scale = /^Spaces, in pixels: ([0-9, ]+)\.$/m.exec(readme)?.[1]?.split(", ").map(Number) ?? [];
    expect(scale.length).toBeGreaterThan(5);
    const spaces = at(
      ({ property, value }) =>
        /^(padding|margin|gap|row-gap|column-gap)/.test(property) &&
        !value.includes("calc(") &&
        [...value.matchAll(/(-?[0-9.]+)(px|r?em)/g)].some(
          ([, number, unit]) => unit !== "px" || !scale.includes(Math.abs(Number(number))),
        ),
    );
    expect(spaces).toEqual([]);
  });

  it("nothing moves for whoever asks for less motion", () => {
    for (const { name, css } of sheets) {
      const rest = withoutMotion(css);
      const moves = [...rest.matchAll(/(transition|animation)[a-z-]*:\s*([^;}]+)/g)].filter(
        // A delay is no motion: what waits shows up at once when it does.
        ([, , value = ""]) =>
          value !== "none" && !value.split(",").every((part) => / 0s [0-9.]+s$/.test(` ${part.trim()}`)),
      );
      expect(moves.map(([all]) => `${name}: ${all}`)).toEqual([]);
    }
  });

  it("what moves takes one of the two times", () => {
    const times = at(
      ({ property, value }) =>
        /^(transition|animation)/.test(property) &&
        / (?!0s\b)[0-9.]+m?s\b/.test(` ${value}`) &&
        !/ 0s [0-9.]+s/.test(value),
    );
    expect(times).toEqual([]);
  });
});

/** A sheet without what it says for people who have nothing against motion. */
function withoutMotion(css: string): string {
  const opening = "@media (prefers-reduced-motion: no-preference) {";
  const from = css.indexOf(opening);
  if (from < 0) return css;
  let depth = 1;
  let end = from + opening.length;
  for (; depth > 0 && end < css.length; end++) depth += css[end] === "{" ? 1 : css[end] === "}" ? -1 : 0;
  return css.slice(0, from) + withoutMotion(css.slice(end));
}
