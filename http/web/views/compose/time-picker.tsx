/** Chooses a time that each reader sees by their own clock. */
import { useSignal } from "@preact/signals";
import { globalTime, nextHour } from "../../model/writing/completion.ts";
import { t } from "../../texts.ts";
import { localText } from "../dialogs/pick-time.tsx";

export function TimePicker({ choose }: { choose(time: string): void }) {
  const at = useSignal(localText(nextHour()));
  return (
    <form
      class="add-line time-picker"
      onSubmit={(event) => {
        event.preventDefault();
        choose(globalTime(new Date(at.value)));
      }}
    >
      <input
        type="datetime-local"
        required
        aria-label={t.pickTime}
        value={at}
        onInput={(event) => (at.value = event.currentTarget.value)}
      />
      <button type="submit" class="button small">
        {t.add}
      </button>
    </form>
  );
}
