/** Settings of notifications. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { ApiError, wordsOf } from "../wire/api.ts";
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
      <Section title={s.byEmail}>
        {toggle("enable_offline_email_notifications", s.mentionPush)}
        {toggle("enable_followed_topic_email_notifications", s.followedPush)}
        {toggle("enable_stream_email_notifications", s.channelPush)}
        {toggle("message_content_in_email_notifications", s.emailContent)}
        {toggle("enable_login_emails", s.loginEmails)}
      </Section>
      <Section title={s.push} hint={s.pushHint}>
        <WebPushToggle />
        {toggle("enable_offline_push_notifications", s.mentionPush)}
        {toggle("enable_online_push_notifications", s.onlinePush)}
        {toggle("enable_followed_topic_push_notifications", s.followedPush)}
        {toggle("enable_stream_push_notifications", s.channelPush)}
      </Section>
    </>
  );
}

/** Notifications of this browser while no page is open. */
function WebPushToggle() {
  const app = useApp();
  const { state } = app.webPush;
  const isBusy = useSignal(false);
  const set = async (isOn: boolean) => {
    isBusy.value = true;
    try {
      if (!isOn) await app.webPush.turnOff();
      else if (!(await app.webPush.turnOn(app.me))) app.ui.note(s.browserRefuses, "problem");
    } catch (error) {
      app.ui.note(error instanceof ApiError && error.message ? wordsOf(error) : s.pushFailed, "problem");
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <Toggle
      // A refusal leaves the value as it is: the box is drawn anew to show it.
      key={String(isBusy.value)}
      label={s.enablePush}
      {...(state.value === "unsupported" && { hint: s.pushUnsupported })}
      value={state.value === "on"}
      disabled={state.value === "unsupported" || isBusy.value}
      set={(isOn) => void set(isOn)}
    />
  );
}
