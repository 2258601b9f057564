/** The palette: opens any place by a part of its name. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { folded } from "../../model/people.ts";
import { narrowOf } from "../../state/narrow.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { Icon } from "../parts/icons.tsx";

interface Destination {
  key: string;
  label: string;
  hash: string;
  channelId?: number;
  userId?: number;
}

const limit = 6;

const places = (): Destination[] =>
  [
    [t.inbox, "#inbox"],
    [t.recent, "#recent"],
    [t.feed, "#feed"],
    [t.mentions, "#narrow/is/mentioned"],
    [t.starred, "#narrow/is/starred"],
    [t.drafts, "#drafts"],
    [t.scheduledMessages, "#scheduled"],
    [t.reminders, "#reminders"],
    [t.settings, "#settings/profile"],
    [t.channels, "#channels"],
    [t.groups, "#groups"],
    [t.organization, "#organization/profile"],
    [t.keyboard, "#keyboard"],
  ].map(([label, hash]) => ({ key: hash!, label: label!, hash: hash! }));

function find(app: App, text: string): Destination[] {
  const wanted = folded(text.trim());
  const found = places().filter(({ label }) => folded(label).includes(wanted));
  if (wanted === "") return found;
  return [
    ...app.channels.search(text, limit).map(({ stream_id, name }) => ({
      key: `c${stream_id}`,
      label: name,
      hash: app.route.link([{ operator: "channel", operand: stream_id }]),
      channelId: stream_id,
    })),
    ...app.people.search(text, limit).map(({ user_id, full_name }) => ({
      key: `u${user_id}`,
      label: full_name,
      hash: app.route.link(narrowOf({ kind: "direct", userIds: [user_id] })),
      userId: user_id,
    })),
    ...found,
  ];
}

export function Palette() {
  const app = useApp();
  const text = useSignal("");
  const chosen = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const found = find(app, text.value);
  const at = Math.min(chosen.value, found.length - 1);
  const go = (destination: Destination | undefined) => {
    if (!destination) return;
    app.ui.closeDialog();
    app.route.go(destination.hash);
  };
  return (
    <Dialog title={t.palette}>
      <input
        ref={input}
        class="palette-input"
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at}`}
        aria-label={t.palette}
        placeholder={t.paletteHint}
        value={text}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          chosen.value = 0;
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") chosen.value = Math.min(found.length - 1, at + 1);
          else if (event.key === "ArrowUp") chosen.value = Math.max(0, at - 1);
          else if (event.key === "Enter") go(found[at]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id="palette-list" class="palette-list" role="listbox" aria-label={t.palette}>
        {found.map((destination, index) => (
          <li
            key={destination.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(destination)}
            onKeyDown={() => {}}
          >
            <Mark of={destination} />
            <bdi>{destination.label}</bdi>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Mark({ of: { channelId, userId } }: { of: Destination }) {
  const { people } = useApp();
  if (channelId !== undefined) return <ChannelMark channelId={channelId} size={16} />;
  if (userId !== undefined) return <Avatar user={people.get(userId)} size={22} />;
  return <Icon name="right" size={16} />;
}
