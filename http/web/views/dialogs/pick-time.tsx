/** Chooses a time: of a scheduled message, of a reminder, or a day to go to. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Message } from "../../../client/types.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { ApiError, wordsOf } from "../../wire/api.ts";
import { Dialog } from "../frame/layers.tsx";
import { Form } from "../parts/form.tsx";

const pad = (value: number): string => String(value).padStart(2, "0");
/** A time as a field for it has it. */
export const localText = (at: Date): string =>
  `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`;

/** Common times in the future. */
function usual(now: Date): [label: string, at: Date][] {
  const at = (days: number, hours: number): Date =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours);
  const untilMonday = (8 - now.getDay()) % 7 || 7;
  return [
    [t.laterToday, new Date(Math.ceil((now.getTime() + 3 * 3_600_000) / 3_600_000) * 3_600_000)],
    [t.tomorrow, at(1, 9)],
    [t.nextWeek, at(untilMonday, 9)],
  ];
}

interface TimesProps {
  /** It is asked once at a time. The dialog stays open until it answers that the time was taken. */
  choose(at: Date): Promise<boolean>;
  /** Further fields, before the times. */
  children?: ComponentChildren;
}

function Times({ choose, children }: TimesProps) {
  const { ui } = useApp();
  const isAsking = useSignal(false);
  const take = async (at: Date) => {
    if (isAsking.value) return;
    isAsking.value = true;
    if (await choose(at)) ui.closeDialog();
    else isAsking.value = false;
  };
  const now = new Date();
  const own = useSignal(localText(new Date(now.getTime() + 3_600_000)));
  return (
    <Form submit={() => take(new Date(own.value))}>
      {children}
      <div class="choices">
        {usual(now).map(([label, at]) => (
          <button key={label} type="button" class="button quiet" onClick={() => void take(at)}>
            {label} <span class="soft">{t.deliveredAt(at)}</span>
          </button>
        ))}
      </div>
      <label>
        {t.pickTime}
        <input
          type="datetime-local"
          required
          min={localText(now)}
          value={own}
          onInput={(event) => (own.value = event.currentTarget.value)}
        />
      </label>
      <footer>
        <button type="submit" class="button" disabled={isAsking.value}>
          {t.done}
        </button>
      </footer>
    </Form>
  );
}

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

interface PickTimeProps {
  title?: string;
  /** Takes a time in UNIX seconds. Returns whether that was taken. */
  choose(at: number): Promise<boolean>;
}

export function PickTime({ title = t.sendLater, choose }: PickTimeProps) {
  return (
    <Dialog title={title}>
      <Times choose={(at) => choose(secondsOf(at))} />
    </Dialog>
  );
}

export function ReminderDialog({ message }: { message: Message }) {
  const app = useApp();
  const note = useSignal("");
  const maxLength = app.store.state["max_reminder_note_length"];
  const choose = async (at: Date) => {
    const isSet = await app.actions.remind(message.id, secondsOf(at), note.value.trim());
    if (isSet) app.ui.note(t.reminded);
    return isSet;
  };
  return (
    <Dialog title={t.remind}>
      <Times choose={choose}>
        <label>
          {t.reminderNote}
          <textarea
            rows={2}
            dir="auto"
            {...(typeof maxLength === "number" && { maxLength })}
            value={note}
            onInput={(event) => (note.value = event.currentTarget.value)}
          />
        </label>
      </Times>
    </Dialog>
  );
}

export function JumpToDate() {
  const app = useApp();
  const day = useSignal(localText(new Date()).slice(0, 10));
  const submit = async () => {
    let isFound: boolean;
    try {
      isFound = await app.open.jumpToDate(new Date(`${day.value}T00:00:00`));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      app.ui.note(wordsOf(error), "problem");
      return;
    }
    app.ui.closeDialog();
    if (!isFound) app.ui.note(t.noneSince, "problem");
  };
  return (
    <Dialog title={t.jumpToDate}>
      <Form submit={submit}>
        <label>
          {t.jumpToDate}
          <input type="date" required value={day} onInput={(event) => (day.value = event.currentTarget.value)} />
        </label>
        <footer>
          <button type="submit" class="button">
            {t.go}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}
