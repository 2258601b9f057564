/** The whole profile of a person: what it says, and which channels and groups they are in. */

import { membersOf } from "../../../client/state/groups.ts";
import type { UserRecord } from "../../../client/state/state.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { useAnswer } from "../../views/dialogs/use-answer.ts";
import { Avatar } from "../../views/parts/avatar.tsx";
import { ChannelMark } from "../../views/parts/channel-mark.tsx";
import { StatusText } from "../../views/parts/presence.tsx";
import { Action, Rows, Section } from "../fields.tsx";
import { s } from "../texts.ts";
import { Facts } from "./facts.tsx";

export function Person({ path }: { path: readonly string[] }) {
  const user = useApp().people.get(Number(path[0]));
  if (!user) return <p class="soft">{t.noneFound}</p>;
  return <Profile user={user} />;
}

function Profile({ user }: { user: UserRecord }) {
  const app = useApp();
  const userId = user.user_id;
  return (
    <>
      <div class="picture-setting">
        <Avatar user={user} size={84} />
        <div>
          <h3>
            <bdi>{user.full_name}</bdi>
          </h3>
          <StatusText userId={userId} />
          <Action
            label={t.copyProfileLink}
            run={() => app.actions.copy(`${location.origin}/#user/${userId}`, t.linkCopied)}
          />
        </div>
      </div>
      <Facts user={user} />
      <ChannelsOf user={user} />
      <GroupsOf user={user} />
    </>
  );
}

function ChannelsOf({ user }: { user: UserRecord }) {
  const app = useApp();
  const { answer } = useAnswer<{ subscribed_channel_ids: number[] }>(`/users/${user.user_id}/channels`);
  const ids = (answer?.subscribed_channel_ids ?? []).filter((id) => app.channels.isSubscribed(id));
  const names = new Map(ids.map((id) => [id, app.channels.name(id)]));
  ids.sort((a, b) => ((names.get(a) ?? "") < (names.get(b) ?? "") ? -1 : 1));
  return (
    <Section title={s.commonChannels}>
      {answer && (
        <Rows
          items={ids}
          row={(id) => (
            <span class="row">
              <ChannelMark channelId={id} />
              <a href={`#channels/${id}`} dir="auto">
                {names.get(id)}
              </a>
            </span>
          )}
        />
      )}
    </Section>
  );
}

function GroupsOf({ user }: { user: UserRecord }) {
  const state = useApp().store.read("groups");
  const groups = (state.realm_user_groups ?? []).filter(
    (group) => !group["is_system_group"] && !group["deactivated"] && membersOf(state, group.id).has(user.user_id),
  );
  return (
    <Section title={t.groups}>
      <Rows items={groups} row={({ id, name }) => <a href={`#groups/${id}`}>{name}</a>} />
    </Section>
  );
}
