/** The settings, shown over the page: the person's own, of channels, of groups, of the organization. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useApp } from "../model/app.ts";
import type { Overlay } from "../model/route.ts";
import "../style/settings.css";
import { t } from "../texts.ts";
import { Top } from "../views/frame/layers.tsx";
import { Icon } from "../views/parts/icons.tsx";
import { keyText } from "../views/parts/key-text.ts";
import { AuditLog } from "./audit-log.tsx";
import { Bots } from "./bots/own-bots.tsx";
import { Channels } from "./channels.tsx";
import { Exports } from "./exports.tsx";
import { Groups } from "./groups.tsx";
import { IdentityProviders } from "./identity-providers.tsx";
import { Invite } from "./invitations.tsx";
import { Operations } from "./operations.tsx";
import { OrganizationProfile, Rights } from "./organization.tsx";
import { DefaultChannels, EmojiSettings, Folders, ListSettings, lists } from "./organization-lists.tsx";
import { Account, AlertWords, MutedPeople, Profile } from "./own.tsx";
import { AllBots, Members } from "./people.tsx";
import { Person } from "./person/person.tsx";
import { Display } from "./preferences/display.tsx";
import { Newcomers } from "./preferences/newcomers.tsx";
import { NotificationSettings } from "./preferences/notifications.tsx";
import { ProfileFields } from "./profile-fields.tsx";
import { Sessions } from "./sessions.tsx";
import { s } from "./texts.ts";
import { Uploads } from "./uploads.tsx";

export { settingTextsReady } from "./texts.ts";

interface Tab {
  key: string;
  label: string;
  show(): ComponentChildren;
}

const ownTabs = (): readonly Tab[] => [
  { key: "profile", label: s.profile, show: () => <Profile /> },
  { key: "account", label: s.account, show: () => <Account /> },
  { key: "display", label: s.display, show: () => <Display /> },
  { key: "notifications", label: s.notifications, show: () => <NotificationSettings /> },
  { key: "alert-words", label: s.alertWords, show: () => <AlertWords /> },
  { key: "muted", label: s.mutedPeople, show: () => <MutedPeople /> },
  { key: "bots", label: s.bots, show: () => <Bots /> },
  { key: "uploads", label: s.uploads, show: () => <Uploads /> },
  { key: "sessions", label: s.sessions, show: () => <Sessions /> },
];

const organizationTabs = (): readonly Tab[] => [
  { key: "profile", label: s.profile, show: () => <OrganizationProfile /> },
  { key: "permissions", label: s.permissions, show: () => <Rights /> },
  { key: "people", label: t.people, show: () => <Members /> },
  { key: "bots", label: s.bots, show: () => <AllBots /> },
  { key: "invitations", label: s.invitations, show: () => <Invite /> },
  { key: "emoji", label: s.emoji, show: () => <EmojiSettings /> },
  ...Object.entries(lists()).map(
    ([key, list]): Tab => ({ key, label: list.title, show: () => <ListSettings list={list} /> }),
  ),
  { key: "fields", label: s.fields, show: () => <ProfileFields /> },
  { key: "folders", label: s.folders, show: () => <Folders /> },
  { key: "default-channels", label: s.defaults, show: () => <DefaultChannels /> },
  { key: "newcomers", label: s.newcomers, show: () => <Newcomers /> },
  { key: "single-sign-on", label: s.signOn, show: () => <IdentityProviders /> },
  { key: "exports", label: s.exports, show: () => <Exports /> },
  { key: "operations", label: s.operations, show: () => <Operations /> },
  { key: "audit-log", label: s.auditLog, show: () => <AuditLog /> },
];

const titlesOf = (): Readonly<Record<Overlay["name"], string>> => ({
  settings: t.settings,
  organization: t.organization,
  channels: t.channels,
  groups: t.groups,
  user: t.profile,
  invite: t.invite,
  keyboard: s.keyboard,
});

export function Settings({ overlay }: { overlay: Overlay }) {
  const app = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (!shown) return undefined;
    app.ui.focus.show(shown);
    return () => app.ui.focus.close(shown);
  }, []);
  const { name, path } = overlay;
  const title = titlesOf()[name];
  const tabs = name === "settings" ? ownTabs() : name === "organization" ? organizationTabs() : [];
  const tab = tabs.find(({ key }) => key === path[0]) ?? tabs[0];
  // On a phone the tabs are one line, longer than the screen.
  useLayoutEffect(() => {
    dialog.current?.querySelector("nav > [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [name, tab?.key]);
  return (
    <dialog
      ref={dialog}
      class={`settings${tabs.length > 0 ? "" : " single"}`}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        app.route.closeOverlay();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="icon-button" aria-label={t.close} onClick={() => app.route.closeOverlay()}>
          <Icon name="close" />
        </button>
      </header>
      {tabs.length > 0 && (
        <nav aria-label={title}>
          {tabs.map(({ key, label }) => (
            <a
              key={key}
              data-label={label}
              href={`#${name}/${key}`}
              {...(key === tab?.key && { "aria-current": "page" })}
            >
              {label}
            </a>
          ))}
        </nav>
      )}
      <div class="setting-body" key={tab?.key ?? name} role="region" aria-label={tab?.label ?? title} tabIndex={0}>
        {tab ? tab.show() : <Single overlay={overlay} />}
      </div>
      {app.ui.dialogs.value.length === 0 && <Top />}
    </dialog>
  );
}

function Single({ overlay: { name, path } }: { overlay: Overlay }) {
  if (name === "channels") return <Channels path={path} />;
  if (name === "user") return <Person path={path} />;
  if (name === "groups") return <Groups path={path} />;
  return name === "invite" ? <Invite /> : <Keys />;
}

function Keys() {
  const groups = useApp().commands.groups.map(({ id, commands }) => ({
    title: t.commandGroups[id],
    commands: commands.filter(({ keys }) => keys.length > 0),
  }));
  const listed = groups.filter(({ commands }) => commands.length > 0);
  return (
    <>
      {listed.map(({ title, commands }) => (
        <section key={title} class="key-group">
          <h3>{title}</h3>
          <dl class="keys">
            {commands.map(({ id, keys }) => (
              <div key={id}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{keyText(key)}</kbd>
                  ))}
                </dt>
                <dd>{t.commandTexts[id]}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}
