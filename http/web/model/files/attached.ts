/** The uploads that a text links to. */
import { uploadAt } from "./sizes.ts";

export interface Attached {
  name: string;
  url: string;
  path: string;
  /** Where its link is in the text. */
  from: number;
  to: number;
}

const link = /!?\[((?:[^\][\\\n]|\\.)*)\]\((\/user_uploads\/[^)\s]+)\)/g;

export function attachedIn(text: string): readonly Attached[] {
  if (!text.includes("](/user_uploads/")) return [];
  return [...text.matchAll(link)].flatMap(({ 0: all, 1: name = "", 2: url = "", index: from }) => {
    const path = uploadAt(url);
    return path === undefined
      ? []
      : [{ name: name || path.replace(/^.*\//, ""), url, path, from, to: from + all.length }];
  });
}

/** The place of a link with the end of its line, if it has the line to itself. */
export function placeOf(text: string, { from, to }: Attached): readonly [number, number] {
  const startsLine = from === 0 || text[from - 1] === "\n";
  if (startsLine && text[to] === "\n") return [from, to + 1];
  return startsLine && to === text.length ? [Math.max(0, from - 1), to] : [from, to];
}

/** Pictures, by their names. */
export const isPicture = (name: string): boolean => /\.(?:bmp|gif|jpe?g|png|webp|avif|heic|tiff)$/i.test(name);
