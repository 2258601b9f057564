/** Moves messages to another topic or channel. */
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { ChannelMessage } from "../../../client/types.ts";
import type { TopicPlace } from "../../model/actions.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { narrowOf } from "../../wire/narrow.ts";
import { Dialog } from "../frame/layers.tsx";
import { Form } from "../parts/form.tsx";

type Mode = "change_one" | "change_later" | "change_all";
const modes = (): readonly (readonly [Mode, string])[] => [
  ["change_all", t.moveAll],
  ["change_later", t.moveLater],
  ["change_one", t.moveOne],
];

export function MoveDialog({ message }: { message: ChannelMessage }) {
  const app = useApp();
  const mode = useSignal<Mode>("change_all");
  return (
    <Moving
      title={t.moveMessages}
      from={{ channelId: message.stream_id, topic: message.subject }}
      move={async (to, tells) => {
        const isHere = app.route.staying();
        if (!(await app.actions.move(message, to, mode.value, tells))) return false;
        if (isHere()) app.route.open(narrowOf({ kind: "topic", ...to }), message.id);
        return true;
      }}
    >
      <Which mode={mode} />
    </Moving>
  );
}

/** Renames a topic, or moves it to another channel. */
export function MoveTopicDialog({ from }: { from: TopicPlace }) {
  const app = useApp();
  return <Moving title={t.moveTopic} from={from} move={(to, tells) => app.actions.moveTopic(from, to, tells)} />;
}

interface MovingProps {
  title: string;
  from: TopicPlace;
  /** @returns whether the server agreed */
  move(to: TopicPlace, tells: { old: boolean; new: boolean }): Promise<boolean>;
  children?: ComponentChildren;
}

function Moving({ title, from, move, children }: MovingProps) {
  const app = useApp();
  const topic = useSignal(from.topic);
  const channelId = useSignal(from.channelId);
  const tellsOld = useSignal(false);
  const tellsNew = useSignal(true);
  const channel = app.channels.get(from.channelId);
  const mayLeave =
    app.permissions.isAdmin ||
    app.permissions.has("can_move_messages_between_channels_group") ||
    app.permissions.isIn(channel?.["can_move_messages_out_of_channel_group"]);
  const isSame = topic.value.trim() === from.topic && channelId.value === from.channelId;
  const submit = async () => {
    const to = { channelId: channelId.value, topic: topic.value.trim() };
    if (await move(to, { old: tellsOld.value, new: tellsNew.value })) app.ui.closeDialog();
  };
  return (
    <Dialog title={title}>
      <Form submit={submit}>
        <label>
          {t.channel}
          <select
            value={channelId.value}
            disabled={!mayLeave}
            onChange={(event) => (channelId.value = Number(event.currentTarget.value))}
          >
            {app.channels.subscribed.value.map(({ stream_id, name }) => (
              <option key={stream_id} value={stream_id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t.topic}
          <input value={topic} dir="auto" onInput={(event) => (topic.value = event.currentTarget.value)} />
        </label>
        {children}
        <Tick of={tellsNew} label={t.tellNew} />
        <Tick of={tellsOld} label={t.tellOld} />
        <footer>
          <button type="button" class="button quiet" onClick={() => app.ui.closeDialog()}>
            {t.cancel}
          </button>
          <button type="submit" class="button" disabled={isSame}>
            {t.move}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Tick({ of, label }: { of: Signal<boolean>; label: string }) {
  return (
    <label class="choice">
      <input type="checkbox" checked={of.value} onChange={() => (of.value = !of.value)} /> {label}
    </label>
  );
}

function Which({ mode }: { mode: Signal<Mode> }) {
  return (
    <fieldset>
      <legend>{t.messages}</legend>
      {modes().map(([value, label]) => (
        <label key={value} class="choice">
          <input type="radio" name="mode" checked={mode.value === value} onChange={() => (mode.value = value)} />{" "}
          {label}
        </label>
      ))}
    </fieldset>
  );
}
