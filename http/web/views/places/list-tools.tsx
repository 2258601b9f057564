/** Above a list of conversations: a filter by words, and by kinds. */
import type { ComponentChildren } from "preact";
import type { ListFilter } from "../../model/lists/list-filter.ts";
import { t } from "../../texts.ts";
import { focusRow } from "../frame/moving.ts";
import { Icon } from "../parts/icons.tsx";

interface Props {
  filter: ListFilter;
  kinds: readonly (readonly [kind: string, label: string])[];
  children?: ComponentChildren;
}

export function ListTools({ filter, kinds, children }: Props) {
  return (
    <div class="list-tools">
      <div class="list-search">
        <Icon name="search" size={15} />
        <input
          type="search"
          aria-label={t.filterConversations}
          placeholder={t.filterConversations}
          value={filter.text}
          onInput={(event) => (filter.text.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "ArrowDown") return;
            event.preventDefault();
            focusRow(1);
          }}
        />
      </div>
      <div class="list-kinds" role="group" aria-label={t.filters}>
        {kinds.map(([kind, label]) => (
          <button
            key={kind}
            type="button"
            class="kind"
            aria-pressed={filter.isOn(kind)}
            onClick={() => filter.toggle(kind)}
          >
            {label}
          </button>
        ))}
      </div>
      {children}
    </div>
  );
}

/** What stands in the place of a list whose filter finds nothing. */
export function NoneLeft({ filter }: { filter: ListFilter }) {
  return (
    <div class="empty">
      <Icon name="search" size={44} />
      <p>{t.noneLeft}</p>
      <button type="button" class="button quiet" onClick={() => filter.clear()}>
        {t.clearFilters}
      </button>
    </div>
  );
}
