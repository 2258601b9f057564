/** Settings of user groups. */

import type { GroupRecord } from "../../client/state/state.ts";
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import type { Params } from "../wire/api.ts";
import { AddForm, DangerousAction, Refusal, Rows, Section, TextField } from "./fields.tsx";
import { MemberList } from "./member-list.tsx";
import { s } from "./texts.ts";

const nameOf = ({ name }: GroupRecord): string => s.systemGroups[name] ?? name;

export function Groups({ path }: { path: readonly string[] }) {
  const app = useApp();
  const groups = (app.store.read("groups").realm_user_groups ?? []).filter((group) => !group["deactivated"]);
  const group = groups.find(({ id }) => id === Number(path[0]));
  if (group) return <GroupPage group={group} />;
  const mayCreate = app.permissions.has("can_create_groups");
  return (
    <Section title={t.groups}>
      <Rows
        items={[...groups.filter((one) => !one["is_system_group"]), ...groups.filter((one) => one["is_system_group"])]}
        row={(one) => (
          <>
            <a href={`#groups/${one.id}`}>{nameOf(one)}</a>
            {/* What the server says of its own groups is in English, and their names say it. */}
            {!one["is_system_group"] && <span class="soft">{String(one["description"] ?? "")}</span>}
          </>
        )}
      />
      {mayCreate ? (
        <AddForm
          fields={[["name", s.createGroup]]}
          action={s.create}
          run={({ name }) =>
            app.actions.try("POST", "/user_groups/create", { name, description: "", members: [app.me] })
          }
        />
      ) : (
        <Refusal isShown text={s.notYours} />
      )}
    </Section>
  );
}

function GroupPage({ group }: { group: GroupRecord }) {
  const app = useApp();
  const isSystem = group["is_system_group"] === true;
  const mayChange =
    !isSystem && (app.permissions.has("can_manage_all_groups") || app.permissions.isIn(group["can_manage_group"]));
  const path = `/user_groups/${group.id}`;
  const change = (members: Params) => app.actions.try("POST", `${path}/members`, members);
  return (
    <Section title={nameOf(group)}>
      <Refusal isShown={!mayChange} text={isSystem ? s.systemGroup : s.notYours} />
      {!isSystem && (
        <>
          <TextField
            label={s.name}
            value={group.name}
            disabled={!mayChange}
            set={(name) => app.actions.try("PATCH", path, { name })}
          />
          <TextField
            label={s.description}
            value={String(group["description"])}
            disabled={!mayChange}
            set={(description) => app.actions.try("PATCH", path, { description })}
          />
        </>
      )}
      <MemberList
        userIds={group.members}
        mayRemove={mayChange}
        {...(mayChange && { add: (userId: number) => change({ add: [userId] }) })}
        remove={(userId) => change({ delete: [userId] })}
      />
      {mayChange && (
        <DangerousAction
          label={s.deactivateGroup}
          action={s.deactivate}
          text={group.name}
          run={() => void app.actions.try("POST", `${path}/deactivate`).then((done) => done && app.route.go("#groups"))}
        />
      )}
    </Section>
  );
}
