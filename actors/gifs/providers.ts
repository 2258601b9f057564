/**
 * Who finds GIFs: what each provider is asked, and what of its answer is of use. An answer comes from outside, so that
 * a GIF without all that it needs is left out. Sources: https://developers.giphy.com/docs/api/endpoint,
 * https://docs.klipy.com/migrate-from-tenor. KLIPY speaks the second version of Tenor's API, which ended in June 2026.
 */
import { mediaTypeOf } from "../markdown/outside-media.ts";
import { memberOf } from "../text/json-object.ts";
import { asLine, beginning, storable } from "../text/texts.ts";

export const gifProviderNames = ["giphy", "klipy"] as const;
export type GifProviderName = (typeof gifProviderNames)[number];

/** The values of `gif_rating_policy` above 0, which is none. */
export const gifRatings = { 1: "g", 2: "pg", 3: "pg-13", 4: "r" } as const;
export type GifRating = (typeof gifRatings)[keyof typeof gifRatings];

export interface GifQuestion {
  /** What is looked for; empty: what many send now. */
  words: string;
  /** `next` of the page before; empty: the first one. */
  from: string;
  /** The highest one that is wanted. */
  rating: GifRating;
  /** Of whoever asks, as `user_settings.default_language` has it. */
  language: string;
}

/** One that was found, at addresses of the provider. */
export interface FoundGif {
  /** What it shows, in words; empty where nobody says. */
  alt: string;
  /** The address that a message has. */
  url: string;
  /** A small one. */
  preview: string;
  /** Of the small one, in pixels. */
  width: number;
  height: number;
}

export interface GifPage {
  gifs: FoundGif[];
  /** Where the next page begins; empty: there is none. */
  next: string;
}

export interface GifProvider {
  /** Where its API is, unless somebody says otherwise. */
  url: string;
  /** Its pictures are at this host and those below it. */
  pictureHost: string;
  /** The path of a question, with the key. */
  ask(question: GifQuestion, key: string): string;
  /**
   * Undefined for what is no list of GIFs.
   *
   * @param at reads an address of a picture; undefined for one that is not wanted
   */
  read(answer: unknown, question: GifQuestion, at: AddressReader): GifPage | undefined;
}

type AddressReader = (value: unknown) => string | undefined;

/** GIFs of one page. */
const pageSize = 15;
/** Characters of a description, and of a place in what was found. */
const maxAlt = 150;
const maxNext = 200;
/** Pixels of a side. What says more is no preview. */
const maxSide = 4000;
/** GIPHY looks for no more characters, and goes no further than these. */
const giphyMaxWords = 50;
const giphyMaxFrom = { search: 4999, trending: 499 } as const;
const giphyRatings: readonly unknown[] = ["y", "g", "pg", "pg-13", "r"];

const giphy: GifProvider = {
  url: "https://api.giphy.com",
  pictureHost: "giphy.com",
  ask({ words, from, rating, language }, api_key) {
    const fields = "title,alt_text,rating,images.fixed_width,images.downsized_medium";
    const params = { api_key, limit: String(pageSize), offset: String(placeOf(from)), rating, fields };
    return words === ""
      ? `/v1/gifs/trending?${new URLSearchParams(params)}`
      : `/v1/gifs/search?${new URLSearchParams({ ...params, q: beginning(words, giphyMaxWords), lang: tagOf(language) })}`;
  },
  read(answer, { words, from, rating }, at) {
    const found = listIn(answer, "data");
    if (!found) return undefined;
    const gifs = found.flatMap((one) => {
      const own = memberOf(one, "rating");
      // A GIF that nobody rated is as good as its search.
      const isTooMuch = own !== undefined && !isWithin(own, rating);
      const [small, large] = ["fixed_width", "downsized_medium"].map((name) => memberOf(memberOf(one, "images"), name));
      if (isTooMuch) return [];
      return gifOf([memberOf(one, "alt_text"), memberOf(one, "title")], at, {
        url: memberOf(large, "url"),
        preview: memberOf(small, "url"),
        sides: [memberOf(small, "width"), memberOf(small, "height")],
      });
    });
    const total = memberOf(memberOf(answer, "pagination"), "total_count");
    const next = placeOf(from) + found.length;
    const last = Math.min(Number(total) || 0, giphyMaxFrom[words === "" ? "trending" : "search"]);
    return { gifs, next: found.length > 0 && next < last ? String(next) : "" };
  },
};

const klipy: GifProvider = {
  url: "https://api.klipy.com",
  pictureHost: "klipy.com",
  ask({ words, from, rating, language }, key) {
    const contentfilter = { g: "high", pg: "medium", "pg-13": "low", r: "off" }[rating];
    const params = new URLSearchParams({
      key,
      limit: String(pageSize),
      media_filter: "tinygif,mediumgif",
      locale: tagOf(language).replace("-", "_"),
      contentfilter,
      ...(from !== "" && { pos: from }),
      ...(words !== "" && { q: words }),
    });
    return `/v2/${words === "" ? "featured" : "search"}?${params}`;
  },
  read(answer, _question, at) {
    const found = listIn(answer, "results");
    if (!found) return undefined;
    const gifs = found.flatMap((one) => {
      const formats = memberOf(one, "media_formats");
      const small = memberOf(formats, "tinygif");
      const dims = memberOf(small, "dims");
      return gifOf([memberOf(one, "content_description"), memberOf(one, "title")], at, {
        url: memberOf(memberOf(formats, "mediumgif"), "url"),
        preview: memberOf(small, "url"),
        sides: Array.isArray(dims) ? dims : [],
      });
    });
    const next = memberOf(answer, "next");
    return { gifs, next: typeof next === "string" && next.length <= maxNext ? next : "" };
  },
};

export const gifProviders: Readonly<Record<GifProviderName, GifProvider>> = { giphy, klipy };

/** Reads addresses of a provider's pictures: at its own hosts by https, or where its API is. */
export function addressReader({ pictureHost }: GifProvider, apiUrl: string): AddressReader {
  const api = new URL(apiUrl);
  return (value) => {
    if (typeof value !== "string" || !URL.canParse(value)) return undefined;
    const url = new URL(value);
    const isOwn = url.protocol === "https:" && `.${url.hostname}`.endsWith(`.${pictureHost}`);
    if ((!isOwn && url.origin !== api.origin) || url.username !== "" || url.password !== "") return undefined;
    // A parenthesis would end the address in Markdown.
    const href = url.href.replaceAll("(", "%28").replaceAll(")", "%29");
    return mediaTypeOf(href) === "image" ? href : undefined;
  };
}

/** Where a page begins. What is no number of GIPHY's begins at the first. */
const placeOf = (from: string): number => (/^\d{1,4}$/.test(from) ? Number(from) : 0);

const isWithin = (own: unknown, highest: GifRating): boolean =>
  giphyRatings.includes(own) && giphyRatings.indexOf(own) <= giphyRatings.indexOf(highest);

/** Providers know Chinese by its countries, and other languages by two letters. */
const tagOf = (language: string): string =>
  /^zh\b/i.test(language) ? (/tw|hant/i.test(language) ? "zh-TW" : "zh-CN") : language.slice(0, 2);

function gifOf(
  texts: readonly unknown[],
  at: AddressReader,
  { url: large, preview: small, sides }: { url: unknown; preview: unknown; sides: readonly unknown[] },
): FoundGif[] {
  const [url, preview] = [at(large), at(small)];
  const [width, height] = sides.map(sideOf);
  if (url === undefined || preview === undefined || width === undefined || height === undefined) return [];
  return [{ alt: altOf(texts), url, preview, width, height }];
}

/** The first of the texts that says something, in one line. */
function altOf(texts: readonly unknown[]): string {
  for (const text of texts) {
    if (typeof text !== "string") continue;
    const line = asLine(storable(beginning(text, 1000)))
      .replace(/\s+/g, " ")
      .trim();
    if (line !== "") return beginning(line, maxAlt);
  }
  return "";
}

/** A number, or one as text; undefined for what is no side of a picture. */
function sideOf(value: unknown): number | undefined {
  const side = typeof value === "string" && /^\d{1,5}$/.test(value) ? Number(value) : value;
  return typeof side === "number" && Number.isInteger(side) && side > 0 && side <= maxSide ? side : undefined;
}

/** So many of a list as were asked for. */
function listIn(answer: unknown, name: string): readonly unknown[] | undefined {
  const list = memberOf(answer, name);
  return Array.isArray(list) ? list.slice(0, pageSize) : undefined;
}
