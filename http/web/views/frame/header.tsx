/** The header: the open place, search, and who is online. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { namesOf, placeName } from "../../model/route.ts";
import { feed, hashOf, keyOf, type Narrow, narrowOf, parseSearch, searchText, termOf } from "../../state/narrow.ts";
import { t } from "../../texts.ts";
import { TopicName } from "../messages/topic-name.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { PresenceDot } from "../parts/presence.tsx";
import { LazyJumpToDate } from "./lazy.tsx";
import { openChannelMenu, openTopicMenu } from "./menus.tsx";

export function Header() {
  const app = useApp();
  const isMessages = app.route.place.value.view === "messages";
  return (
    <header class="top">
      <button
        type="button"
        class="icon-button only-small"
        aria-label={t.menu}
        onClick={() => (app.ui.isLeftOpen.value = true)}
      >
        <Icon name="menu" />
      </button>
      <h1 class="title">
        <Title />
      </h1>
      <Search />
      {isMessages && (
        <button
          type="button"
          class="icon-button"
          aria-label={t.jumpToDate}
          title={t.jumpToDate}
          onClick={() => app.ui.openDialog(() => <LazyJumpToDate />)}
        >
          <Icon name="calendar" />
        </button>
      )}
      <button
        type="button"
        class="icon-button"
        aria-label={t.showPeople}
        title={t.showPeople}
        aria-pressed={app.ui.isRightOpen.value}
        onClick={() => (app.ui.isRightOpen.value = !app.ui.isRightOpen.value)}
      >
        <Icon name="people" />
      </button>
    </header>
  );
}

const viewIcons: Readonly<Record<string, IconName>> = {
  inbox: "inbox",
  recent: "recent",
  drafts: "draft",
  scheduled: "clock",
  reminders: "bell",
};

function Title() {
  const app = useApp();
  const place = app.route.place.value;
  const { view, narrow } = place;
  if (view === "messages" && !termOf(narrow, "search")) {
    const people = termOf(narrow, "dm")?.operand;
    if (Array.isArray(people)) return <DirectTitle userIds={people} />;
    const channelId = termOf(narrow, "channel")?.operand;
    if (typeof channelId === "number")
      return <ChannelTitle channelId={channelId} topic={termOf(narrow, "topic")?.operand as string | undefined} />;
  }
  return <Named icon={viewIcons[view] ?? narrowIcon(narrow)} name={placeName(app, place)} />;
}

function narrowIcon(narrow: Narrow): IconName {
  if (keyOf(narrow) === keyOf(feed)) return "feed";
  const is = narrow.length === 1 ? termOf(narrow, "is")?.operand : undefined;
  return is === "mentioned" ? "mention" : is === "starred" ? "star" : "search";
}

function Named({ icon, name }: { icon: IconName; name: string }) {
  return (
    <>
      <Icon name={icon} />
      <span class="ellipsis">{name}</span>
    </>
  );
}

function DirectTitle({ userIds }: { userIds: readonly number[] }) {
  const app = useApp();
  const others = userIds.filter((id) => id !== app.me);
  return (
    <>
      <PresenceDot user={others.length === 1 ? app.people.get(others[0]!) : undefined} />
      <span class="ellipsis">{namesOf(app.people, userIds)}</span>
    </>
  );
}

function ChannelTitle({ channelId, topic }: { channelId: number; topic: string | undefined }) {
  const app = useApp();
  const channel = app.channels.get(channelId);
  return (
    <>
      <ChannelMark channelId={channelId} size={18} />
      <a class="ellipsis" href={app.route.link([{ operator: "channel", operand: channelId }])}>
        {channel?.name ?? channelId}
      </a>
      {topic === undefined ? (
        <span class="description ellipsis">{channel?.description}</span>
      ) : (
        <>
          <span class="soft" aria-hidden="true">
            ›
          </span>
          <a class="ellipsis topic-title" href={app.route.link(narrowOf({ kind: "topic", channelId, topic }))}>
            <TopicName topic={topic} />
          </a>
        </>
      )}
      <button
        type="button"
        class="icon-button small"
        aria-label={topic === undefined ? t.channelActions : t.topicActions}
        onClick={(event) =>
          topic === undefined
            ? openChannelMenu(app, event.currentTarget, channelId)
            : openTopicMenu(app, event.currentTarget, channelId, topic)
        }
      >
        <Icon name="more" size={16} />
      </button>
    </>
  );
}

function Search() {
  const app = useApp();
  const { narrow } = app.route.place.value;
  const shown = narrow.some(({ operator }) => operator === "search")
    ? searchText(
        narrow,
        (id) => app.channels.name(id),
        (id) => app.people.name(id),
      )
    : "";
  return <SearchBox key={shown} shown={shown} />;
}

function SearchBox({ shown }: { shown: string }) {
  const app = useApp();
  const text = useSignal(shown);
  const isOpen = useSignal(false);
  const chosen = useSignal(-1);
  const input = useRef<HTMLInputElement>(null);
  const suggestions = isOpen.value ? suggest(app, text.value) : [];
  const take = (suggestion: string) => {
    text.value = suggestion;
    chosen.value = -1;
    input.current?.focus();
    if (!suggestion.endsWith(":")) go(suggestion);
  };
  const go = (query: string) => {
    isOpen.value = false;
    input.current?.blur();
    search(app, query);
  };
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const suggestion = suggestions[chosen.value];
        if (suggestion) take(suggestion.text);
        else go(text.value);
      }}
    >
      <Icon name="search" size={16} />
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
        placeholder={t.searchHint}
        aria-label={t.searchHint}
        autocomplete="off"
        value={text}
        onFocus={() => (isOpen.value = true)}
        onBlur={() => setTimeout(() => (isOpen.value = false), 150)}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          isOpen.value = true;
          chosen.value = -1;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            const step = event.key === "ArrowDown" ? 1 : -1;
            chosen.value = Math.max(-1, Math.min(suggestions.length - 1, chosen.value + step));
          } else if (event.key === "Escape") {
            text.value = shown;
            input.current?.blur();
          }
        }}
      />
      <Suggestions of={suggestions} chosen={chosen.value} take={take} />
    </form>
  );
}

function search({ channels, people, route }: App, query: string): void {
  const terms = parseSearch(
    query,
    (name) => channels.idOf(name),
    (name) => people.idOf(name),
  );
  if (terms.length > 0) route.go(hashOf(terms, (id) => channels.get(id)?.name));
}

type Suggestion = ReturnType<typeof suggest>[number];

interface SuggestionsProps {
  of: readonly Suggestion[];
  /** Its place in the list; -1 for none. */
  chosen: number;
  take(suggestion: string): void;
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
      {suggestions.map(({ text: suggestion, what }, index) => (
        <li
          key={suggestion}
          id={`suggestion-${index}`}
          role="option"
          aria-selected={index === chosen}
          onMouseDown={(event) => {
            event.preventDefault();
            take(suggestion);
          }}
        >
          <code>{suggestion}</code> <span class="soft">{what}</span>
        </li>
      ))}
    </ul>
  );
}

const maxSuggestions = 8;

/** Completions of the last word. */
function suggest(app: App, text: string): { text: string; what: string }[] {
  const at = text.lastIndexOf(" ") + 1;
  const [before, word] = [text.slice(0, at), text.slice(at)];
  const quoted = (name: string): string => (/\s/.test(name) ? `"${name}"` : name);
  const match = /^(channel|sender|dm|from|stream):"?([^"]*)$/.exec(word);
  if (match && (match[1] === "channel" || match[1] === "stream"))
    return app.channels
      .search(match[2]!, maxSuggestions)
      .map(({ name }) => ({ text: `${before}channel:${quoted(name)}`, what: t.searchOperators["channel:"]! }));
  if (match)
    return app.people.search(match[2]!, maxSuggestions).map(({ full_name }) => ({
      text: `${before}${match[1]}:${quoted(full_name)}`,
      what: t.searchOperators["sender:"]!,
    }));
  return Object.entries(t.searchOperators)
    .filter(([operator]) => operator.startsWith(word.toLowerCase()) && operator !== word)
    .slice(0, maxSuggestions)
    .map(([operator, what]) => ({ text: before + operator, what }));
}
