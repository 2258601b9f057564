/** The search: words, and terms as pills before them. It suggests people, places and operators. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { isSearch, type Suggestion, suggest, takeTerms, textOf } from "../../model/finding/suggestions.ts";
import { t } from "../../texts.ts";
import { ApiError, wordsOf } from "../../wire/api.ts";
import { feed, keyOf, type Narrow } from "../../wire/narrow.ts";
import { Icon } from "../parts/icons.tsx";

export function Search() {
  const { narrow } = useApp().route.place.value;
  const shown = isSearch(narrow) ? narrow : [];
  return <SearchBox key={keyOf(shown)} shown={shown} />;
}

const isWords = ({ operator }: Narrow[number]): boolean => operator === "search";

function SearchBox({ shown }: { shown: Narrow }) {
  const app = useApp();
  const words = String(shown.find(isWords)?.operand ?? "");
  const ofPlace = shown.filter((term) => !isWords(term) && term.operator !== "near");
  const pills = useSignal<Narrow>(ofPlace);
  const text = useSignal(words);
  const isOpen = useSignal(false);
  const chosen = useSignal(-1);
  const input = useRef<HTMLInputElement>(null);
  // Topics are suggested as far as they are known.
  useEffect(() => (isOpen.value ? app.recent.show() : undefined), [isOpen.value]);
  const suggestions = isOpen.value ? suggest(app, pills.value, text.value, app.route.place.value.narrow) : [];
  const add = (terms: Narrow, rest: string) => {
    const isNew = (term: Narrow[number]) => !pills.value.some((pill) => keyOf([pill]) === keyOf([term]));
    pills.value = [...pills.value, ...terms.filter(isNew)];
    text.value = rest;
    chosen.value = -1;
  };
  const go = () => {
    const { terms, rest } = takeTerms(app, text.value);
    add(terms, rest);
    if (pills.value.length === 0 && rest === "") return;
    isOpen.value = false;
    input.current?.blur();
    void open(app, [...pills.value, ...(rest === "" ? [] : [{ operator: "search", operand: rest }])]);
  };
  const take = ({ terms, rest, isFinal }: Suggestion) => {
    // A text that goes on, such as `sender:`, stays to be completed.
    const space = terms.length > 0 && rest !== "" && !isFinal ? " " : "";
    add(terms, rest + space);
    if (isFinal) go();
    else input.current?.focus();
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const suggestion = suggestions[chosen.value];
        if (suggestion) take(suggestion);
        else go();
      }}
    >
      <Icon name="search" size={16} />
      <div class="search-line">
        {pills.value.map((term) => (
          <Pill
            key={keyOf([term])}
            text={textOf(app, [term])}
            remove={() => {
              pills.value = pills.value.filter((one) => one !== term);
              input.current?.focus();
            }}
          />
        ))}
        <input
          ref={input}
          id="search"
          type="search"
          role="combobox"
          list={undefined}
          aria-expanded={suggestions.length > 0}
          aria-controls="search-suggestions"
          aria-autocomplete="list"
          {...(chosen.value >= 0 && { "aria-activedescendant": `suggestion-${chosen.value}` })}
          placeholder={pills.value.length > 0 ? "" : t.searchHint}
          aria-label={t.searchHint}
          autocomplete="off"
          value={text}
          onFocus={() => (isOpen.value = true)}
          // Whoever comes back meanwhile goes on.
          onBlur={() => setTimeout(() => (isOpen.value = document.activeElement === input.current), 150)}
          onInput={(event) => {
            const typed = event.currentTarget.value;
            isOpen.value = true;
            chosen.value = -1;
            // A space ends a term, unless it is in quotes.
            const hasEnded = / $/.test(typed) && typed.split('"').length % 2 === 1;
            const { terms, rest } = hasEnded ? takeTerms(app, typed) : { terms: [], rest: typed };
            if (terms.length > 0) add(terms, rest);
            else text.value = typed;
          }}
          onKeyDown={(event) => {
            const { selectionStart: from, selectionEnd: to } = event.currentTarget;
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              const step = event.key === "ArrowDown" ? 1 : -1;
              chosen.value = Math.max(-1, Math.min(suggestions.length - 1, chosen.value + step));
            } else if (event.key === "Backspace" && from === 0 && to === 0) pills.value = pills.value.slice(0, -1);
            else if (event.key === "Escape") {
              [text.value, pills.value] = [words, ofPlace];
              input.current?.blur();
            }
          }}
        />
      </div>
      <Suggestions of={suggestions} chosen={chosen.value} take={take} />
    </form>
  );
}

function Pill({ text, remove }: { text: string; remove(): void }) {
  return (
    <span class="search-pill">
      <bdi class="ellipsis">{text}</bdi>
      <button type="button" aria-label={`${t.remove}: ${text}`} onClick={remove}>
        <Icon name="close" size={11} />
      </button>
    </span>
  );
}

/** Opens what is found. `date:` says where: at the first message of that day, or after it. */
async function open(app: App, narrow: Narrow): Promise<void> {
  const date = narrow.findLast(({ operator }) => operator === "date");
  const others = narrow.filter(({ operator }) => operator !== "date");
  const place = others.length > 0 ? others : feed;
  if (!date) return app.route.open(place);
  const day = new Date(`${date.operand}T00:00:00`);
  if (Number.isNaN(day.getTime())) return app.ui.note(t.notADate, "problem");
  try {
    const isHere = app.route.staying();
    const id = await app.lists.firstSince(place, day);
    if (!isHere()) return;
    app.route.open(place, id);
    if (id === undefined) app.ui.note(t.noneSince, "problem");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    app.ui.note(wordsOf(error), "problem");
  }
}

interface SuggestionsProps {
  of: readonly Suggestion[];
  /** Its place in the list; -1 for none. */
  chosen: number;
  take(suggestion: Suggestion): void;
}

function Suggestions({ of: suggestions, chosen, take }: SuggestionsProps) {
  return (
    <ul
      id="search-suggestions"
      role="listbox"
      aria-label={t.search}
      class="suggestions"
      hidden={suggestions.length === 0}
    >
      {suggestions.map((suggestion, index) => (
        <li
          key={`${suggestion.text} ${suggestion.what}`}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseDown={(event) => {
            event.preventDefault();
            take(suggestion);
          }}
        >
          {suggestion.text === "" ? <Icon name="search" size={14} /> : <code class="ellipsis">{suggestion.text}</code>}{" "}
          <bdi class="soft ellipsis">{suggestion.what}</bdi>
        </li>
      ))}
    </ul>
  );
}
