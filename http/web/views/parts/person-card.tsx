/** A card about a person. */
import type { App } from "../../model/app.ts";
import { useApp } from "../../model/app.ts";
import { narrowOf } from "../../state/narrow.ts";
import { t } from "../../texts.ts";
import { MenuItems } from "../frame/layers.tsx";
import { Avatar } from "./avatar.tsx";
import { ago } from "./dates.ts";
import { PresenceDot, StatusText } from "./presence.tsx";

export function openPerson(app: App, userId: number, of: Element): void {
  app.ui.openMenu(of, t.profile, () => <PersonCard userId={userId} />);
}

interface ProfileField {
  id: number;
  name: string;
  type: number;
}

function PersonCard({ userId }: { userId: number }) {
  const app = useApp();
  const user = app.people.get(userId);
  if (!user) return <p class="soft">{t.noneFound}</p>;
  const isMuted = app.people.muted.value.has(userId);
  const lastSeen = app.presence.lastSeen(userId);
  const availability = app.presence.of(user);
  const zone = user["timezone"] as string;
  const fields = (app.store.read("realm")["custom_profile_fields"] ?? []) as ProfileField[];
  return (
    <div class="person-card">
      <header>
        <Avatar user={user} size={56} />
        <div>
          <strong>
            <bdi>{user.full_name}</bdi>
          </strong>
          <p class="soft">
            <PresenceDot user={user} />{" "}
            {availability === "active"
              ? t.activeNow
              : availability === "idle"
                ? t.idle
                : availability === "bot"
                  ? t.bot
                  : lastSeen
                    ? t.offlineSince(ago(lastSeen))
                    : (t.roles[user.role] ?? "")}
          </p>
        </div>
      </header>
      <StatusText userId={userId} />
      <dl>
        {typeof user["delivery_email"] === "string" && <Fact name={t.email} value={user["delivery_email"]} />}
        <Fact name={t.role} value={t.roles[user.role] ?? ""} />
        {zone !== "" && <Fact name={t.localTime} value={timeIn(zone)} />}
        {fields.map((field) => {
          const value = user.profile_data?.[field.id]?.value;
          return value ? <Fact key={field.id} name={field.name} value={value} /> : null;
        })}
      </dl>
      {app.permissions.isLoggedIn && (
        <MenuItems
          items={[
            { icon: "person", label: t.sendDirect, run: () => direct(app, userId) },
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
            userId !== app.me && {
              icon: "mute",
              label: isMuted ? t.unmutePerson : t.mutePerson,
              run: () => void app.actions.try(isMuted ? "DELETE" : "POST", `/users/me/muted_users/${userId}`),
            },
          ]}
        />
      )}
    </div>
  );
}

function direct(app: App, userId: number): void {
  app.route.open(narrowOf({ kind: "direct", userIds: userId === app.me ? [userId] : [userId] }));
  app.compose.focus();
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{value}</dd>
    </>
  );
}

function timeIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone, hour: "numeric", minute: "2-digit" }).format();
  } catch {
    return timeZone;
  }
}
