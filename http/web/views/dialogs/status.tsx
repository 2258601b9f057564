/** Sets the person's status. */
import { useSignal } from "@preact/signals";
import { type App, useApp } from "../../model/app.ts";
import type { Emoji } from "../../model/emoji.ts";
import { t } from "../../texts.ts";
import { Dialog } from "../frame/layers.tsx";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Form } from "../parts/form.tsx";

/** The emoji of the present status. */
function presentEmoji(app: App): Emoji | undefined {
  const { emoji_name = "", emoji_code, reaction_type } = app.store.state.user_status?.[app.me] ?? {};
  return emoji_code && reaction_type ? app.emoji.of({ emoji_name, emoji_code, reaction_type }) : undefined;
}

/** What people often are, with the name of an emoji. */
const suggestions = (): readonly (readonly [text: string, emoji: string])[] => [
  [t.statusBusy, "working_on_it"],
  [t.statusMeeting, "calendar"],
  [t.statusCommuting, "bus"],
  [t.statusSick, "hurt"],
  [t.statusVacation, "palm_tree"],
  [t.statusRemote, "house"],
  [t.statusOffice, "office"],
];

const Picture = ({ emoji: { url, text } }: { emoji: Emoji }) =>
  url ? <img class="emoji" src={url} alt={text} /> : text;

export function StatusDialog() {
  const app = useApp();
  const text = useSignal(app.store.state.user_status?.[app.me]?.status_text ?? "");
  const emoji = useSignal<Emoji | undefined>(presentEmoji(app));
  const set = async (status: string, chosen: Emoji | undefined) => {
    const params = {
      status_text: status,
      emoji_name: chosen?.name ?? "",
      emoji_code: chosen?.code,
      reaction_type: chosen?.type,
    };
    if (await app.actions.try("POST", "/users/me/status", params)) app.ui.closeDialog();
  };
  return (
    <Dialog title={t.setStatus}>
      <Form submit={() => set(text.value, emoji.value)}>
        <div class="row">
          <button
            type="button"
            class="button quiet status-emoji"
            aria-label={t.emoji}
            onClick={(event) => openEmojiPicker(app, event.currentTarget, (one) => (emoji.value = one))}
          >
            {emoji.value ? <Picture emoji={emoji.value} /> : "🙂"}
          </button>
          <input
            aria-label={t.status}
            maxLength={60}
            dir="auto"
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </div>
        <Suggestions
          choose={(words, name) => {
            text.value = words;
            emoji.value = app.emoji.byName(name);
          }}
        />
        <footer>
          <button type="button" class="button quiet" onClick={() => void set("", undefined)}>
            {t.clearStatus}
          </button>
          <button type="submit" class="button">
            {t.save}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Suggestions({ choose }: { choose(text: string, emoji: string): void }) {
  const app = useApp();
  return (
    <div class="own-actions">
      {suggestions().map(([text, name]) => {
        const emoji = app.emoji.byName(name);
        return (
          <button key={name} type="button" class="button small quiet" onClick={() => choose(text, name)}>
            {emoji && (
              <span aria-hidden="true">
                <Picture emoji={emoji} />
              </span>
            )}{" "}
            {text}
          </button>
        );
      })}
    </div>
  );
}
