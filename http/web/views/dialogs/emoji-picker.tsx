/** Chooses an emoji: by its group, by its name, with a tone of skin. */
import { untracked, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { type Emoji, type EmojiGroup, withTone } from "../../model/emoji.ts";
import { t } from "../../texts.ts";
import { FixedList, type Reveal } from "../parts/fixed-list.tsx";
import { moveInGrid } from "../parts/grid-moves.ts";
import { Icon } from "../parts/icons.tsx";

/** Emoji a row. */
const columns = 8;
const rowHeight = 36;
const maxFound = 160;
const toneKey = "parley.tone";
/** https://unicode.org/reports/tr51/#Emoji_Modifiers_Table */
const tones = ["", "\u{1f3fb}", "\u{1f3fc}", "\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"];

type Row = { key: string; title: string } | { key: string; emoji: readonly Emoji[]; from: number };

interface Props {
  hasTones: boolean;
  choose(emoji: Emoji): void;
}

export function EmojiPicker({ hasTones, choose }: Props) {
  const app = useApp();
  const text = useSignal("");
  const tone = useSignal(hasTones ? (localStorage.getItem(toneKey) ?? "") : "");
  const reveal = useSignal<Reveal | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const groups = useComputed((): EmojiGroup[] =>
    text.value.trim() === ""
      ? app.emoji.groups()
      : [{ name: "", emoji: found(app.emoji.search(text.value, maxFound)) }],
  );
  const rows = useComputed(() => rowsOf(groups.value));
  const all = useComputed(() => groups.value.flatMap(({ emoji }) => emoji));
  const toned = (emoji: Emoji): Emoji =>
    emoji.type === "unicode_emoji" ? { ...emoji, text: withTone(emoji.text, tone.value) } : emoji;
  const isFound = text.value.trim() !== "";
  /** Enter was pressed before the emoji were there. */
  const isAwaited = useSignal(false);
  useSignalEffect(() => {
    if (!isAwaited.value || app.emoji.known === 0) return;
    const first = all.peek()[0];
    isAwaited.value = false;
    if (first) untracked(() => choose(toned(first)));
  });
  return (
    <div
      class="emoji-picker"
      onKeyDown={(event) => {
        const isInInput = document.activeElement === input.current;
        const takesFirst = event.key === "Enter" && isInInput && isFound;
        if (!takesFirst && !moveInGrid(event, input.current, columns)) return;
        // The box that gets the focus back would get the line of this Enter, too.
        event.preventDefault();
        if (takesFirst) isAwaited.value = true;
      }}
    >
      <input
        ref={input}
        type="search"
        placeholder={t.search}
        aria-label={t.search}
        value={text}
        onInput={(event) => {
          isAwaited.value = false;
          text.value = event.currentTarget.value;
        }}
      />
      {!isFound && (
        <Groups groups={groups.value} rows={rows.value} open={(at) => (reveal.value = { at, isFirst: true })} />
      )}
      <FixedList
        items={rows.value}
        rowHeight={rowHeight}
        reveal={reveal.value}
        keyOf={({ key }) => key}
        row={(row) =>
          "title" in row ? (
            <h2 class="emoji-title">{row.title}</h2>
          ) : (
            <div class="emoji-row">
              {row.emoji.map((emoji, at) => (
                <EmojiButton key={emoji.type + emoji.code} emoji={toned(emoji)} at={row.from + at} choose={choose} />
              ))}
            </div>
          )
        }
      />
      {all.value.length === 0 && <p class="soft">{app.emoji.known === 0 ? t.loading : t.nothingFound}</p>}
      {hasTones && <Tones tone={tone.value} set={(next) => (tone.value = next)} />}
    </div>
  );
}

function EmojiButton({ emoji, at, choose }: { emoji: Emoji; at: number; choose(emoji: Emoji): void }) {
  return (
    <button
      type="button"
      data-at={at}
      tabIndex={at === 0 ? 0 : -1}
      title={`:${emoji.name}:`}
      aria-label={emoji.name}
      onClick={() => choose(emoji)}
    >
      {emoji.url ? <img src={emoji.url} alt="" /> : emoji.text}
    </button>
  );
}

/** Each emoji once, though it has several names. */
function found(emoji: readonly Emoji[]): Emoji[] {
  const seen = new Set<string>();
  return emoji.filter(({ type, code }) => !seen.has(type + code) && seen.add(type + code));
}

function rowsOf(groups: readonly EmojiGroup[]): Row[] {
  const rows: Row[] = [];
  let from = 0;
  for (const { name, emoji } of groups) {
    if (name !== "") rows.push({ key: name, title: titleOf(name) });
    for (let at = 0; at < emoji.length; at += columns)
      rows.push({ key: `${name} ${at}`, emoji: emoji.slice(at, at + columns), from: from + at });
    // The emoji of a group begin in the first column: an arrow up or down goes there as on any other row.
    from += Math.ceil(emoji.length / columns) * columns;
  }
  return rows;
}

const titleOf = (name: string): string => t.emojiGroups[name] ?? name;

function Groups({
  groups,
  rows,
  open,
}: {
  groups: readonly EmojiGroup[];
  rows: readonly Row[];
  open(at: number): void;
}) {
  return (
    <div class="emoji-groups" role="group" aria-label={t.groupsOfEmoji}>
      {groups.map(({ name, emoji }) => (
        <button
          key={name}
          type="button"
          aria-label={titleOf(name)}
          title={titleOf(name)}
          onClick={() => open(rows.findIndex(({ key }) => key === name))}
        >
          {name === "recent" ? (
            <Icon name="recent" size={17} />
          ) : emoji[0]!.url ? (
            <img src={emoji[0]!.url} alt="" />
          ) : (
            emoji[0]!.text
          )}
        </button>
      ))}
    </div>
  );
}

function Tones({ tone, set }: { tone: string; set(tone: string): void }) {
  const choose = (next: string) => {
    localStorage.setItem(toneKey, next);
    set(next);
  };
  return (
    <fieldset class="emoji-tones">
      <legend class="visually-hidden">{t.skinTone}</legend>
      {tones.map((one, at) => (
        <label key={one} title={t.skinTones[at]}>
          <input
            type="radio"
            name="tone"
            aria-label={t.skinTones[at]}
            checked={one === tone}
            onChange={() => choose(one)}
          />
          {withTone("\u{270b}", one)}
        </label>
      ))}
    </fieldset>
  );
}
