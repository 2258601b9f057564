/** Sizes of uploaded files, told beside links to them. Asked for when a link is drawn, many at once. */
import { type Signal, signal } from "@preact/signals";
import { ApiError, call } from "../../wire/api.ts";

/** More links than anybody looks at; the oldest are dropped. */
const maxKept = 2000;
/** Files of one request. */
const maxAsked = 100;
const prefix = "/user_uploads/";

/** The upload at an address: what follows `/user_uploads/`. Undefined for other addresses. */
export function uploadAt(url: string): string | undefined {
  if (!url.startsWith(prefix) || url.startsWith(`${prefix}thumbnail/`)) return undefined;
  try {
    const path = decodeURIComponent(url.slice(prefix.length).replace(/[?#].*$/, ""));
    // No upload has one, and a request with one is refused for all files of the view.
    return path.includes("\0") ? undefined : path;
  } catch {
    // A malformed address: no server gave it away.
    return undefined;
  }
}

/** The thumbnail of an uploaded picture. Other files have none. */
export const thumbnailOf = (url: string): string =>
  url
    .replace(prefix, `${prefix}thumbnail/`)
    .replace(/[?#].*$/, "")
    .concat("/840x560.webp");

export class FileSizes {
  readonly #known = new Map<string, Signal<number | undefined>>();
  #asked: string[] = [];

  /** Bytes of an upload; undefined until they are known, and when the file is gone or not the person's to read. */
  of(path: string): number | undefined {
    const known = this.#known.get(path);
    if (known) return known.value;
    this.#asked.push(path);
    // All links of a view ask before that.
    if (this.#asked.length === 1) setTimeout(() => void this.#fetch());
    return this.#hold(path).value;
  }

  learn(path: string, bytes: number): void {
    this.#hold(path).value = bytes;
  }

  #hold(path: string): Signal<number | undefined> {
    let held = this.#known.get(path);
    if (held) return held;
    this.#known.set(path, (held = signal(undefined)));
    if (this.#known.size > maxKept) this.#known.delete(this.#known.keys().next().value!);
    return held;
  }

  async #fetch(): Promise<void> {
    const paths = this.#asked.splice(0, maxAsked);
    try {
      const { attachments } = await call<{ attachments: { path_id: string; size: number }[] }>(
        "GET",
        "/attachments/facts",
        { path_ids: paths },
      );
      for (const { path_id, size } of attachments) this.learn(path_id, size);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // They are asked for again with the next link to them.
      for (const path of paths) if (this.#known.get(path)?.peek() === undefined) this.#known.delete(path);
    }
    if (this.#asked.length > 0) await this.#fetch();
  }
}
