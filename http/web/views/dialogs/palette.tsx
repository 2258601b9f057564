/**
 * The palette: goes to any place and runs any command, by a part of its name. `#`, `@` and `>` before the text look for
 * topics and channels, people, and commands alone. Without a text it lists where the person was lately.
 */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import {
  type Destination,
  findChannels,
  findPeople,
  findTopics,
  rankOf,
  recentPlaces,
} from "../../model/finding/destinations.ts";
import { folded } from "../../model/people.ts";
import { t } from "../../texts.ts";
import { hashOf } from "../../wire/narrow.ts";
import { Dialog } from "../frame/layers.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { DirectMark } from "../parts/direct-mark.tsx";
import { Icon } from "../parts/icons.tsx";
import { keyText } from "../parts/key-text.ts";

interface Choice extends Omit<Destination, "hash"> {
  shortcut?: string | undefined;
  run(): void;
}
interface Section {
  title: string;
  choices: Choice[];
}

const maxCommands = 6;

function findCommands(app: App, text: string, limit: number): Choice[] {
  const wanted = folded(text.trim());
  return app.commands.offered
    .flatMap((command) => {
      const rank = rankOf(t.commandTexts[command.id], wanted);
      return rank === undefined ? [] : [{ command, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ command: { id, keys, run } }) => ({
      key: `command-${id}`,
      label: t.commandTexts[id],
      shortcut: keys[0],
      run: () => run?.(app),
    }));
}

function find(app: App, text: string): Section[] {
  const going = (found: Destination[]): Choice[] =>
    found.map(({ hash, ...rest }) => ({ ...rest, run: () => app.route.go(hash) }));
  const kinds = t.paletteKinds;
  const [, sign, rest = ""] = /^\s*([#@>]?)(.*)$/.exec(text) ?? [];
  const section = (title: string, choices: Choice[]): Section => ({ title, choices });
  if (text.trim() === "")
    return [
      section(t.recentPlaces, going(recentPlaces(app))),
      section(kinds.commands, findCommands(app, "", Infinity)),
    ];
  const commands = () => section(kinds.commands, findCommands(app, rest, sign ? Infinity : maxCommands));
  const people = () => section(kinds.people, going(findPeople(app, rest)));
  const ofChannels = () => [
    section(kinds.channels, going(findChannels(app, rest))),
    section(kinds.topics, going(findTopics(app, rest))),
  ];
  if (sign === ">") return [commands()];
  if (sign === "@") return [people()];
  if (sign === "#") return ofChannels();
  const search = hashOf([{ operator: "search", operand: text.trim() }]);
  const words = { key: "search", label: t.searchFor(text.trim()), run: () => app.route.go(search) };
  return [...ofChannels(), people(), commands(), section(t.search, [words])];
}

export function Palette() {
  const app = useApp();
  const text = useSignal("");
  const chosen = useSignal(0);
  // Recent conversations tell topics.
  useEffect(() => app.recent.show(), [app]);
  const sections = useComputed(() => find(app, text.value).filter(({ choices }) => choices.length > 0)).value;
  const all = sections.flatMap(({ choices }) => choices);
  const at = Math.min(chosen.value, all.length - 1);
  useLayoutEffect(() => document.getElementById(`palette-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  const take = (choice: Choice | undefined) => {
    if (!choice) return;
    app.ui.closeDialog();
    // The dialog goes in a microtask, and gives the focus back. A command may move it.
    queueMicrotask(choice.run);
  };
  return (
    <Dialog title={t.palette}>
      <input
        data-first-focus
        class="palette-input"
        role="combobox"
        aria-expanded={all.length > 0}
        aria-controls="palette-list"
        {...(at >= 0 && { "aria-activedescendant": `palette-${at}` })}
        aria-label={t.palette}
        autocomplete="off"
        placeholder={t.paletteHint}
        value={text}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") chosen.value = (at + 1) % Math.max(1, all.length);
          else if (event.key === "ArrowUp") chosen.value = (at - 1 + all.length) % Math.max(1, all.length);
          else if (event.key === "Enter") take(all[at]);
          else return;
          event.preventDefault();
        }}
      />
      <div id="palette-list" class="palette-list" role="listbox" aria-label={t.palette}>
        {sections.map(({ title, choices }) => (
          <div key={title} role="group" aria-label={title}>
            <div class="palette-title" aria-hidden="true">
              {title}
            </div>
            {choices.map((choice) => (
              <Option key={choice.key} of={choice} at={all.indexOf(choice)} chosen={at} take={() => take(choice)} />
            ))}
          </div>
        ))}
      </div>
    </Dialog>
  );
}

function Option({ of, at, chosen, take }: { of: Choice; at: number; chosen: number; take(): void }) {
  return (
    <div id={`palette-${at}`} class="palette-row" role="option" aria-selected={at === chosen} onClick={take}>
      <Mark of={of} />
      <bdi class="ellipsis">{of.label}</bdi>
      {of.detail && <bdi class="soft ellipsis">{of.detail}</bdi>}
      {of.shortcut && <kbd>{keyText(of.shortcut)}</kbd>}
    </div>
  );
}

function Mark({ of: { key, channelId, userIds } }: { of: Choice }) {
  if (channelId !== undefined) return <ChannelMark channelId={channelId} size={16} />;
  if (userIds !== undefined) return <DirectMark userIds={userIds} />;
  return <Icon name={key === "search" ? "search" : "right"} size={16} />;
}
