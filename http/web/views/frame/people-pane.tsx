/** The right side: people, those online first. For a channel or a group conversation, its own people. */
import { useComputed, useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { narrowOf } from "../../state/narrow.ts";
import type { UserRecord } from "../../state/state.ts";
import { t } from "../../texts.ts";
import { Avatar } from "../parts/avatar.tsx";
import { FixedList } from "../parts/fixed-list.tsx";
import { Icon } from "../parts/icons.tsx";
import { openPerson } from "../parts/person-card.tsx";
import { PresenceDot, StatusEmoji } from "../parts/presence.tsx";

const rowHeight = 36;
/** Most people shown. Others are found by searching. */
const maxFound = 500;

type Entry = { key: string; title: string } | UserRecord;

const isUser = (entry: Entry): entry is UserRecord => "user_id" in entry;

export function PeoplePane() {
  const app = useApp();
  const text = useSignal("");
  const entries = useComputed((): Entry[] => {
    const { people, presence } = app;
    if (text.value.trim() !== "") return people.search(text.value, maxFound);
    const online = new Set(presence.online());
    const here = [...online]
      .flatMap((id) => (people.isActive(id) ? (people.get(id) ?? []) : []))
      .filter(({ is_bot }) => !is_bot);
    here.sort((a, b) => (people.foldedName(a) < people.foldedName(b) ? -1 : 1));
    const present = here.length > 0 ? [{ key: "online", title: `${t.online} · ${here.length}` }, ...here] : [];
    // To sort 50,000 people takes long. What was opened is shown first.
    if (!app.ui.isSettled.value) return present;
    const everybody = { key: "all", title: `${t.everybody} · ${people.sorted.value.length}` };
    return [...present, everybody, ...people.sorted.value.filter((user) => !online.has(user.user_id))];
  });
  return (
    <aside class="right" aria-label={t.people}>
      <div class="search-field">
        <Icon name="search" size={15} />
        <input
          type="search"
          id="find-people"
          placeholder={t.findPeople}
          aria-label={t.findPeople}
          value={text}
          onInput={(event) => (text.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = entries.value.find(isUser);
            if (event.key === "Enter" && first) app.route.open(narrowOf({ kind: "direct", userIds: [first.user_id] }));
          }}
        />
        <button
          type="button"
          class="icon-button small only-small"
          aria-label={t.hideSidebar}
          onClick={() => (app.ui.isRightOpen.value = false)}
        >
          <Icon name="close" size={15} />
        </button>
      </div>
      {entries.value.length === 0 && app.ui.isSettled.value ? (
        <p class="soft padded">{t.noneFound}</p>
      ) : (
        <FixedList
          items={entries.value}
          rowHeight={rowHeight}
          keyOf={(entry) => (isUser(entry) ? entry.user_id : entry.key)}
          row={(entry) => (isUser(entry) ? <PersonRow user={entry} /> : <h2 class="side-title">{entry.title}</h2>)}
        />
      )}
    </aside>
  );
}

function PersonRow({ user }: { user: UserRecord }) {
  const app = useApp();
  // Computed, so that the row is drawn again for its own count only.
  const unread = useComputed(() => app.unread.ofPeople(user.user_id === app.me ? [] : [user.user_id])).value;
  return (
    <div class="person-row">
      <a
        href={app.route.link(narrowOf({ kind: "direct", userIds: [user.user_id] }))}
        onClick={() => app.ui.leavePlace()}
      >
        <span class="avatar-with-dot">
          <Avatar user={user} size={24} />
          <PresenceDot user={user} />
        </span>
        <span class="name">
          <bdi>{user.full_name}</bdi>
          {user.user_id === app.me && <span class="soft"> ({t.you.toLowerCase()})</span>}
          <StatusEmoji userId={user.user_id} />
        </span>
        {unread > 0 && <span class="unread">{unread}</span>}
      </a>
      <button
        type="button"
        class="icon-button small"
        aria-label={`${t.profile}: ${user.full_name}`}
        onClick={(event) => openPerson(app, user.user_id, event.currentTarget)}
      >
        <Icon name="more" size={15} />
      </button>
    </div>
  );
}
