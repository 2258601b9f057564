/** Moves messages to another topic or channel. */
import { type Signal, useSignal } from "@preact/signals";
import type { ChannelMessage } from "../../../client/types.ts";
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
  const topic = useSignal(message.subject);
  const channelId = useSignal(message.stream_id);
  const mode = useSignal<Mode>("change_all");
  const tellsOld = useSignal(false);
  const tellsNew = useSignal(true);
  const channel = app.channels.get(message.stream_id);
  const mayLeave =
    app.permissions.isAdmin ||
    app.permissions.has("can_move_messages_between_channels_group") ||
    app.permissions.isIn(channel?.["can_move_messages_out_of_channel_group"]);
  const isSame = topic.value.trim() === message.subject && channelId.value === message.stream_id;
  const submit = async () => {
    const to = { channelId: channelId.value, topic: topic.value.trim() };
    const done = await app.actions.move(message, to, mode.value, { old: tellsOld.value, new: tellsNew.value });
    if (!done) return;
    app.ui.closeDialog();
    app.route.open(narrowOf({ kind: "topic", ...to }), message.id);
  };
  return (
    <Dialog title={t.moveMessages}>
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
        <Which mode={mode} />
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
