/** The box that narrows the channels of the left side to those whose name has a text. */
import type { Signal } from "@preact/signals";
import { t } from "../../texts.ts";
import { Icon } from "../parts/icons.tsx";

/** @param take goes to the first that is found, by Enter */
export function SideFilter({ text, take }: { text: Signal<string>; take(): void }) {
  return (
    <div class="search-field">
      <Icon name="search" size={15} />
      <input
        type="search"
        id="filter-channels"
        placeholder={t.filterChannels}
        aria-label={t.filterChannels}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          take();
          text.value = "";
        }}
      />
    </div>
  );
}
