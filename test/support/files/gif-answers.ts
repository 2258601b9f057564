/** What providers of GIFs answer, with the fields that their documentation names. Pictures are where the API is. */
import type { ServiceAnswer } from "../server/web-service.ts";

type Answer = ServiceAnswer & { body: string };

const json = (value: object): Answer => ({
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(value),
});

/** https://developers.google.com/tenor/guides/response-objects-and-errors, which KLIPY's second version follows. */
export const klipyAnswer = (root: string, described: readonly string[], next = ""): Answer =>
  json({
    results: described.map((content_description, at) => ({
      id: String(1000 + at),
      title: "",
      content_description,
      itemurl: `${root}/gifs/${at}`,
      url: `${root}/${at}`,
      tags: ["cat"],
      flags: [],
      hasaudio: false,
      media_formats: {
        tinygif: { url: `${root}/${at}-tiny.gif`, dims: [220, 124], duration: 1.2, preview: "", size: 80_123 },
        mediumgif: { url: `${root}/${at}-medium.gif`, dims: [480, 270], duration: 1.2, preview: "", size: 900_123 },
      },
    })),
    next,
  });

/** https://developers.giphy.com/docs/api/schema. Each has its description and rating. */
export const giphyAnswer = (
  root: string,
  described: readonly (readonly [string, string])[],
  total_count: number,
): Answer =>
  json({
    data: described.map(([alt_text, rating], at) => ({
      title: "A GIF by somebody",
      alt_text,
      rating,
      images: {
        fixed_width: { height: "113", width: "200", size: "32381", url: `${root}/${at}-200w.gif?cid=1` },
        downsized_medium: { height: "270", width: "480", size: "900123", url: `${root}/${at}.gif?cid=1` },
      },
    })),
    meta: { status: 200, msg: "OK", response_id: "x" },
    pagination: { total_count, count: described.length, offset: 0 },
  });
