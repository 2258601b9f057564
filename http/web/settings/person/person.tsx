/** The whole profile of a person: what it says, and which channels and groups they are in. */

import { membersOf } from "../../../client/state/groups.ts";
import type { UserRecord } from "../../../client/state/state.ts";
import { useApp } from "../../model/app.ts";
import { roles } from "../../model/permissions.ts";
import { t } from "../../texts.ts";
import { useAnswer } from "../../views/dialogs/use-answer.ts";
import { Avatar } from "../../views/parts/avatar.tsx";
import { ChannelMark } from "../../views/parts/channel-mark.tsx";
import { StatusText } from "../../views/parts/presence.tsx";
import { Action, Choice, Rows, Section, TextField } from "../fields.tsx";
import { FieldsOf } from "../profile-fields.tsx";
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
      <Managed user={user} />
      <ChannelsOf user={user} />
      <GroupsOf user={user} />
    </>
  );
}

/** What administrators change of others: the name, and the fields of the profile. */
function Managed({ user }: { user: UserRecord }) {
  const app = useApp();
  const { isAdmin, isOwner } = app.permissions;
  const mayChange = isAdmin && user.user_id !== app.me && !user.is_bot && (isOwner || user.role !== roles.owner);
  if (!mayChange) return null;
  return (
    <Section title={s.manage}>
      <TextField
        label={s.name}
        value={user.full_name}
        maxLength={100}
        set={(full_name) => app.actions.try("PATCH", `/users/${user.user_id}`, { full_name })}
      />
      <FieldsOf userId={user.user_id} />
    </Section>
  );
}

/** Those of both; for administrators, all that they see, to add to and to take from. */
function ChannelsOf({ user }: { user: UserRecord }) {
  const app = useApp();
  const userId = user.user_id;
  const { isAdmin } = app.permissions;
  const { answer, again } = useAnswer<{ subscribed_channel_ids: number[] }>(`/users/${userId}/channels`);
  const theirs = new Set(answer?.subscribed_channel_ids ?? []);
  const listed = app.channels.all.value.filter(
    ({ stream_id: id }) => theirs.has(id) && (isAdmin || app.channels.isSubscribed(id)),
  );
  const others = app.channels.all.value.filter(({ stream_id, is_archived }) => !theirs.has(stream_id) && !is_archived);
  const change = async (run: () => Promise<unknown>) => {
    await run();
    again();
  };
  return (
    <Section title={isAdmin ? s.theirChannels : s.commonChannels}>
      {answer && (
        <Rows
          items={listed}
          row={({ stream_id: id, name }) => (
            <>
              <span class="row">
                <ChannelMark channelId={id} />
                <a href={`#channels/${id}`} dir="auto">
                  {name}
                </a>
              </span>
              {isAdmin && <Action label={s.remove} run={() => change(() => app.actions.unsubscribe(id, [userId]))} />}
            </>
          )}
        />
      )}
      {answer && isAdmin && (
        <Choice
          label={s.addToChannel}
          value=""
          choices={[["", "—"], ...others.map(({ stream_id, name }) => [String(stream_id), name] as const)]}
          set={(id) => id !== "" && change(() => app.actions.subscribe(Number(id), [userId]))}
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
