/** Settings of user groups. */

import type { GroupRecord } from "../../client/state/state.ts";
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import type { Params } from "../wire/api.ts";
import { Action, AddForm, Choice, DangerousAction, GroupChoice, Refusal, Rows, Section, TextField } from "./fields.tsx";
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
  const isIn = (name: string) => app.permissions.isIn(group[name]);
  const mayChange = !isSystem && (app.permissions.has("can_manage_all_groups") || isIn("can_manage_group"));
  const mayAdd = mayChange || (!isSystem && isIn("can_add_members_group"));
  const mayRemove = mayChange || (!isSystem && isIn("can_remove_members_group"));
  const path = `/user_groups/${group.id}`;
  const change = (members: Params) => app.actions.try("POST", `${path}/members`, members);
  const deactivate = async () => {
    const isHere = app.route.staying();
    const done = await app.actions.try("POST", `${path}/deactivate`);
    if (done && isHere()) app.route.go("#groups");
  };
  const addAll = (add: readonly number[]) => change({ add });
  return (
    <>
      <Section title={nameOf(group)}>
        <Refusal isShown={!mayChange} text={isSystem ? s.systemGroup : s.notYours} />
        {!isSystem && <Names group={group} mayChange={mayChange} />}
        {!isSystem && <Membership group={group} change={change} />}
        <MemberList
          userIds={group.members}
          mayRemove={mayRemove}
          {...(mayAdd && { add: (userId: number) => addAll([userId]), addAll })}
          remove={(userId) => change({ delete: [userId] })}
        />
      </Section>
      {!isSystem && <Subgroups group={group} mayAdd={mayAdd} mayRemove={mayRemove} />}
      {!isSystem && <GroupRights group={group} mayChange={mayChange} />}
      {mayChange && (
        <DangerousAction
          label={s.deactivateGroup}
          action={s.deactivate}
          text={group.name}
          run={() => void deactivate()}
        />
      )}
    </>
  );
}

interface PartProps {
  group: GroupRecord;
  mayChange: boolean;
}

function Names({ group, mayChange }: PartProps) {
  const app = useApp();
  const update = (params: Params) => app.actions.try("PATCH", `/user_groups/${group.id}`, params);
  return (
    <>
      <TextField label={s.name} value={group.name} disabled={!mayChange} set={(name) => update({ name })} />
      <TextField
        label={s.description}
        value={String(group["description"])}
        disabled={!mayChange}
        set={(description) => update({ description })}
      />
    </>
  );
}

/** Joins or leaves, where the person may. */
function Membership({ group, change }: { group: GroupRecord; change(members: Params): Promise<unknown> }) {
  const { me, permissions } = useApp();
  if (group.members.includes(me)) {
    return permissions.isIn(group["can_leave_group"]) ? (
      <Action label={s.leaveGroup} run={() => change({ delete: [me] })} />
    ) : null;
  }
  return permissions.isIn(group["can_join_group"]) ? (
    <Action label={s.joinGroup} run={() => change({ add: [me] })} />
  ) : null;
}

/** Groups whose members are members of this one. */
function Subgroups(props: { group: GroupRecord; mayAdd: boolean; mayRemove: boolean }) {
  const { group, mayAdd, mayRemove } = props;
  const app = useApp();
  const all = (app.store.read("groups").realm_user_groups ?? []).filter((one) => !one["deactivated"]);
  const within = new Set(group.direct_subgroup_ids);
  const others = all.filter(({ id }) => id !== group.id && !within.has(id));
  const change = (params: Params) => app.actions.try("POST", `/user_groups/${group.id}/subgroups`, params);
  return (
    <Section title={s.groupsWithin}>
      <Rows
        items={all.filter(({ id }) => within.has(id))}
        row={(one) => (
          <>
            <a href={`#groups/${one.id}`}>{nameOf(one)}</a>
            {mayRemove && <Action label={s.remove} run={() => change({ delete: [one.id] })} />}
          </>
        )}
      />
      {mayAdd && (
        <Choice
          label={s.addGroup}
          value=""
          choices={[["", "—"], ...others.map((one) => [String(one.id), nameOf(one)] as const)]}
          set={(id) => id !== "" && change({ add: [Number(id)] })}
        />
      )}
    </Section>
  );
}

function GroupRights({ group, mayChange }: PartProps) {
  const app = useApp();
  return (
    <Section title={s.permissions}>
      {Object.entries(s.groupRights).map(([name, label]) => (
        <GroupChoice
          key={name}
          label={label}
          value={group[name]}
          disabled={!mayChange}
          set={(value) => app.actions.try("PATCH", `/user_groups/${group.id}`, { [name]: { new: value } })}
        />
      ))}
    </Section>
  );
}
