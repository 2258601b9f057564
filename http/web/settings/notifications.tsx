/** Settings of notifications. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { Action, Choice, entries, Section, Toggle } from "./fields.tsx";
import { s } from "./texts.ts";

export function NotificationSettings() {
  const app = useApp();
  const settings = app.store.read("settings").user_settings ?? {};
  const allowed = useSignal("Notification" in window ? Notification.permission : "denied");
  const toggle = (name: string, label: string) => (
    <Toggle label={label} value={settings[name] === true} set={(value) => app.actions.setSetting(name, value)} />
  );
  return (
    <>
      <Section title={s.notifications}>
        {allowed.value === "default" ? (
          <Action label={s.askBrowser} run={async () => (allowed.value = await Notification.requestPermission())} />
        ) : (
          <p class="soft">{allowed.value === "granted" ? s.browserAllows : s.browserRefuses}</p>
        )}
        {toggle("enable_desktop_notifications", s.desktop)}
        {toggle("enable_sounds", s.sounds)}
        {toggle("enable_stream_desktop_notifications", s.channelDesktop)}
        {toggle("enable_stream_audible_notifications", s.channelSound)}
        {toggle("pm_content_in_desktop_notifications", s.showContent)}
        <Choice
          label={s.badge}
          value={String(settings["desktop_icon_count_display"])}
          choices={entries(s.badges)}
          set={(value) => app.actions.setSetting("desktop_icon_count_display", Number(value))}
        />
      </Section>
      <Section title={s.push}>
        {toggle("enable_offline_push_notifications", s.push)}
        {toggle("enable_online_push_notifications", s.onlinePush)}
        {toggle("enable_stream_push_notifications", s.channelPush)}
      </Section>
    </>
  );
}
