/** A card about a person. */

import type { UserRecord } from "../../../client/state/state.ts";
import type { App } from "../../model/app.ts";
import { useApp } from "../../model/app.ts";
import { roles } from "../../model/permissions.ts";
import { t } from "../../texts.ts";
import { narrowOf } from "../../wire/narrow.ts";
import { confirmDialog, MenuItems } from "../frame/layers.tsx";
import { Avatar } from "./avatar.tsx";
import { ago, dateText, timeIn } from "./dates.ts";
import { PresenceDot, StatusText } from "./presence.tsx";
import { Fact, ProfileFact } from "./profile-facts.tsx";

export function openPerson(app: App, userId: number, of: Element): void {
  app.ui.openMenu(of, t.profile, () => <PersonCard userId={userId} />);
}

function PersonCard({ userId }: { userId: number }) {
  const app = useApp();
  const user = app.people.get(userId);
  if (!user) return <p class="soft">{t.noneFound}</p>;
  const zone = user.timezone ?? "";
  const joined = String(user["date_joined"] ?? "").slice(0, 10);
  const fields = app.store.read("realm").custom_profile_fields ?? [];
  return (
    <div class="person-card">
      <header>
        <Avatar user={user} size={56} />
        <div>
          <strong>
            <bdi>{user.full_name}</bdi>
          </strong>
          <p class="soft">
            <PresenceDot user={user} /> {presenceOf(app, user)}
          </p>
        </div>
      </header>
      <StatusText userId={userId} />
      <dl>
        {user.delivery_email && <Fact name={t.email} value={user.delivery_email} />}
        <Fact name={t.role} value={t.roles[user.role] ?? ""} />
        {joined !== "" && <Fact name={t.joined} value={dateText(joined)} />}
        {zone !== "" && <Fact name={t.localTime} value={timeIn(zone, app.has24Hours)} />}
        {fields.map((field) => {
          const { value, rendered_value } = user.profile_data?.[field.id] ?? {};
          return value ? <ProfileFact key={field.id} field={field} value={value} html={rendered_value} /> : null;
        })}
      </dl>
      {app.permissions.isLoggedIn && <CardMenu user={user} />}
    </div>
  );
}

function presenceOf({ presence }: App, user: UserRecord): string {
  const lastSeen = presence.lastSeen(user.user_id);
  switch (presence.of(user)) {
    case "active":
      return t.activeNow;
    case "idle":
      return t.idle;
    case "bot":
      return t.bot;
    default:
      return lastSeen ? t.offlineSince(ago(lastSeen)) : (t.roles[user.role] ?? "");
  }
}

function CardMenu({ user }: { user: UserRecord }) {
  const app = useApp();
  const userId = user.user_id;
  const isMuted = app.people.muted.value.has(userId);
  const { isAdmin, isOwner } = app.permissions;
  const mayLogOut = isAdmin && userId !== app.me && !user.is_bot && (isOwner || user.role !== roles.owner);
  return (
    <div role="menu" aria-label={t.moreActions}>
      <MenuItems
        items={[
          { icon: "person", label: t.wholeProfile, run: () => app.route.go(`#user/${userId}`) },
          { icon: "chat", label: t.sendDirect, run: () => direct(app, userId) },
          {
            icon: "feed",
            label: t.viewMessages,
            run: () => app.route.open([{ operator: "sender", operand: userId }]),
          },
          {
            icon: "mention",
            label: t.copyMention,
            run: () => void app.actions.copy(`@**${app.people.mention(user)}**`, t.copied),
          },
          {
            icon: "link",
            label: t.copyProfileLink,
            run: () => void app.actions.copy(`${location.origin}/#user/${userId}`, t.linkCopied),
          },
          userId !== app.me && {
            icon: "mute",
            label: isMuted ? t.unmutePerson : t.mutePerson,
            run: () => void app.actions.try(isMuted ? "DELETE" : "POST", `/users/me/muted_users/${userId}`),
          },
          mayLogOut && {
            label: t.endSessions,
            isDangerous: true,
            run: () => confirmEnd(app, user),
          },
          mayLogOut && {
            label: t.resetFactor,
            isDangerous: true,
            run: () => confirmReset(app, user),
          },
        ]}
      />
    </div>
  );
}

/** Logs somebody out of all browsers. */
function confirmEnd(app: App, { user_id, full_name }: UserRecord): void {
  confirmDialog(app.ui, {
    title: t.endSessions,
    text: t.endSessionsHint(full_name),
    action: t.logOut,
    run: () => void app.actions.try("DELETE", `/users/${user_id}/sessions`),
  });
}

/** Turns off the second factor of somebody who lost it. */
function confirmReset(app: App, { user_id, full_name }: UserRecord): void {
  confirmDialog(app.ui, {
    title: t.resetFactor,
    text: t.resetFactorHint(full_name),
    action: t.turnOff,
    run: () => void app.actions.try("DELETE", `/users/${user_id}/second_factor`),
  });
}

function direct(app: App, userId: number): void {
  app.route.open(narrowOf({ kind: "direct", userIds: userId === app.me ? [userId] : [userId] }));
  app.compose.focus();
}
