/** Chooses a GIF of a provider: by words, or of those that many send now. The server asks the provider. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { ApiError, call, wordsOf } from "../../wire/api.ts";
import { moveInGrid } from "../parts/grid-moves.ts";

/** GIFs a row. */
const columns = 2;
/** Nobody is asked for words that are still being typed. */
const restMs = 300;

interface Gif {
  alt: string;
  url: string;
  preview_url: string;
  width: number;
  height: number;
}

interface Page {
  gifs: readonly Gif[];
  next: string;
}

interface Props {
  /** The provider's name. */
  provider: string;
  /** Takes Markdown. */
  choose(content: string): void;
}

export function GifPicker({ provider, choose }: Props) {
  const { text, found, problem, look } = useSearch(provider);
  const input = useRef<HTMLInputElement>(null);
  const isLookedFor = found.value?.words === text.value.trim();
  const gifs = found.value?.gifs ?? [];
  const take = (gif: Gif) => choose(`[${linkText(gif.alt)}](${gif.url}) `);
  const enter = () => {
    if (isLookedFor && gifs[0]) take(gifs[0]);
    else look(text.value.trim());
  };
  return (
    <div
      class="gif-picker"
      onKeyDown={(event) => {
        const isEnter = event.key === "Enter" && document.activeElement === input.current;
        if (!isEnter && !moveInGrid(event, input.current, columns)) return;
        // The box that gets the focus back would get the line of this Enter, too.
        event.preventDefault();
        if (isEnter) enter();
      }}
    >
      <input
        ref={input}
        type="search"
        placeholder={t.searchAt(provider)}
        aria-label={t.searchAt(provider)}
        maxLength={100}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="gifs" aria-busy={!isLookedFor && problem.value === undefined}>
        {gifs.map((gif, at) => (
          <GifButton key={gif.url} gif={gif} at={at} choose={take} />
        ))}
        {problem.value !== undefined && (
          <button type="button" class="button small" onClick={() => look(text.value.trim())}>
            {t.tryAgain}
          </button>
        )}
        {isLookedFor && found.value?.next && (
          <button type="button" class="button small" onClick={() => look(text.value.trim(), found.value?.next)}>
            {t.moreGifs}
          </button>
        )}
      </div>
      <div class="gif-foot">
        <p role="status">{problem.value ?? (!isLookedFor ? t.loading : gifs.length === 0 ? t.nothingFound : "")}</p>
        <p>{t.poweredBy(provider)}</p>
      </div>
    </div>
  );
}

/** What is looked for, what was found, and why nothing was. */
function useSearch(provider: string) {
  const text = useSignal("");
  const found = useSignal<(Page & { words: string }) | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const asking = useRef<AbortController | undefined>(undefined);
  const asked = useRef<string | undefined>(undefined);
  const ask = async (words: string, from: string) => {
    asking.current?.abort();
    asked.current = words;
    const { signal } = (asking.current = new AbortController());
    problem.value = undefined;
    const before = from === "" ? [] : (found.peek()?.gifs ?? []);
    try {
      const { gifs, next } = await call<Page>("GET", "/gifs", { query: words, from }, { signal });
      if (!signal.aborted) found.value = { words, gifs: together(before, gifs), next };
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      problem.value = error.code === "GIFS_UNAVAILABLE" ? t.gifsAway(provider) : wordsOf(error);
    }
  };
  const look = (words: string, from = "") => void ask(words, from);
  const words = text.value.trim();
  useEffect(() => {
    const begin = () => {
      // Enter may have asked already.
      if (asked.current !== words) look(words);
    };
    // What many send is shown at once.
    const rest = setTimeout(begin, words === "" ? 0 : restMs);
    return () => clearTimeout(rest);
  }, [words]);
  useEffect(() => () => asking.current?.abort(), []);
  return { text, found, problem, look };
}

/** A provider may tell of one again on the next page. */
function together(before: readonly Gif[], more: readonly Gif[]): Gif[] {
  const known = new Set<string>();
  return [...before, ...more].filter(({ url }) => !known.has(url) && known.add(url));
}

function GifButton({ gif, at, choose }: { gif: Gif; at: number; choose(gif: Gif): void }) {
  const { animation } = useApp();
  const isPointedAt = useSignal(false);
  const moves = animation === "always" || (animation === "on_hover" && isPointedAt.value);
  const point = (is: boolean) => () => (isPointedAt.value = is);
  return (
    <button
      type="button"
      data-at={at}
      tabIndex={at === 0 ? 0 : -1}
      title={gif.alt}
      onMouseEnter={point(true)}
      onMouseLeave={point(false)}
      onFocus={point(true)}
      onBlur={point(false)}
      onClick={() => choose(gif)}
    >
      <img
        loading="lazy"
        src={moves ? gif.preview_url : `${gif.preview_url}?still=true`}
        alt={linkText(gif.alt)}
        width={gif.width}
        height={gif.height}
      />
    </button>
  );
}

/** A description as the text of a link. Somebody else wrote it: of what Markdown could read in it nothing is left. */
function linkText(alt: string): string {
  const words = alt
    .replace(/[^\p{L}\p{M}\p{N} .,'’!?&%+-]/gu, " ")
    .replace(/ +/g, " ")
    .trim();
  return words === "" ? "GIF" : words;
}
