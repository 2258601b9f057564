/** A card about a group of people. */

import { membersOf } from "../../../client/state/groups.ts";
import { type App, useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Avatar } from "./avatar.tsx";
import { FixedList, rowHeightHere } from "./fixed-list.tsx";
import { openPerson } from "./person-card.tsx";
import { PresenceDot } from "./presence.tsx";

const rowHeight = 34;
/** Members that are seen at once. */
const most = 7;

export function openGroup(app: App, groupId: number, of: Element): void {
  app.ui.openMenu(of, t.group, () => <GroupCard groupId={groupId} of={of} />);
}

function GroupCard({ groupId, of }: { groupId: number; of: Element }) {
  const app = useApp();
  const state = app.store.read("groups");
  const group = state.realm_user_groups?.find(({ id }) => id === groupId);
  if (!group) return <p class="soft">{t.noneFound}</p>;
  const members = [...membersOf(state, groupId)].flatMap((id) => app.people.get(id) ?? []);
  members.sort((a, b) => (app.people.foldedName(a) < app.people.foldedName(b) ? -1 : 1));
  const description = String(group["description"] ?? "");
  return (
    <div class="person-card group-card">
      <strong>
        <bdi>{group.name}</bdi>
      </strong>
      {description !== "" && <p>{description}</p>}
      <p class="soft">{t.memberCount(members.length)}</p>
      <div class="members" style={{ height: `${Math.min(most, members.length) * rowHeightHere(rowHeight)}px` }}>
        <FixedList
          items={members}
          rowHeight={rowHeight}
          label={t.people}
          keyOf={({ user_id }) => user_id}
          row={(user) => (
            <button type="button" class="person-line" onClick={() => openPerson(app, user.user_id, of)}>
              <Avatar user={user} size={22} />
              <bdi class="ellipsis">{user.full_name}</bdi>
              <PresenceDot user={user} />
            </button>
          )}
        />
      </div>
      <a href={`#groups/${group.id}`}>{t.groupSettings}</a>
    </div>
  );
}
