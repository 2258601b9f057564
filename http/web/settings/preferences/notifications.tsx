/** Settings of notifications. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { showNotification } from "../../model/notifying/notifications.ts";
import { playSound } from "../../model/notifying/sound.ts";
import { ApiError, wordsOf } from "../../wire/api.ts";
import { Action, entries, lengthOf, Section, Toggle } from "../fields.tsx";
import { s } from "../texts.ts";
import { Select, Switch, usePreferences } from "./preferences.tsx";

/** Whether this browser shows notifications, and the button that has it ask. */
function BrowserAllows() {
  const allowed = useSignal("Notification" in window ? Notification.permission : "denied");
  if (allowed.value === "default")
    return <Action label={s.askBrowser} run={async () => (allowed.value = await Notification.requestPermission())} />;
  if (allowed.value !== "granted") return <p class="soft">{s.browserRefuses}</p>;
  return (
    <>
      <p class="soft">{s.browserAllows}</p>
      <TestNotification />
    </>
  );
}

function TestNotification() {
  const app = useApp();
  const show = () => {
    const name = String(app.store.read("realm")["realm_name"] ?? "Parley");
    if (!showNotification(name, { body: s.testNotificationText, tag: "test" }))
      app.ui.note(s.browserRefuses, "problem");
  };
  return <Action label={s.testNotification} run={show} />;
}

/** The sound of notifications, which one hears when one wants to. */
function Sound() {
  const { values } = usePreferences();
  const { notification_sound: chosen } = values;
  return (
    <>
      <Select
        name="notification_sound"
        label={s.soundName}
        choices={entries(s.soundNames)}
        shown={(name) => (Object.hasOwn(s.soundNames, String(name)) ? String(name) : "zulip")}
      />
      {chosen !== "none" && <Action label={s.playSound} run={() => playSound(chosen)} />}
    </>
  );
}

export function NotificationSettings() {
  const { isOwn } = usePreferences();
  return (
    <>
      <Section title={s.notifications}>
        {isOwn && <BrowserAllows />}
        <Switch name="enable_desktop_notifications" label={s.desktop} />
        <Switch name="enable_sounds" label={s.sounds} />
        <Switch name="wildcard_mentions_notify" label={s.wildcards} />
        <Switch name="enable_followed_topic_wildcard_mentions_notify" label={s.followedWildcards} />
        <Switch name="enable_followed_topic_desktop_notifications" label={s.followedDesktop} />
        <Switch name="enable_followed_topic_audible_notifications" label={s.followedSound} />
        <Switch name="enable_stream_desktop_notifications" label={s.channelDesktop} />
        <Switch name="enable_stream_audible_notifications" label={s.channelSound} />
        <Sound />
        <Switch name="pm_content_in_desktop_notifications" label={s.showContent} />
        <Select name="desktop_icon_count_display" label={s.badge} choices={entries(s.badges)} />
      </Section>
      <Section title={s.topicPolicies}>
        <Select name="automatically_follow_topics_policy" label={s.followTopics} choices={entries(s.takingPart)} />
        <Select
          name="automatically_unmute_topics_in_muted_streams_policy"
          label={s.unmuteTopics}
          choices={entries(s.takingPart)}
        />
        <Switch name="automatically_follow_topics_where_mentioned" label={s.followMentions} />
      </Section>
      <Section title={s.byEmail}>
        <Switch name="enable_offline_email_notifications" label={s.mentionPush} />
        <Switch name="enable_followed_topic_email_notifications" label={s.followedPush} />
        <Switch name="enable_stream_email_notifications" label={s.channelPush} />
        <EmailDelay />
        <Switch name="message_content_in_email_notifications" label={s.emailContent} />
        <Switch name="enable_digest_emails" label={s.digestEmails} />
        <Switch name="enable_login_emails" label={s.loginEmails} />
      </Section>
      <Section title={s.push} {...(isOwn && { hint: s.pushHint })}>
        {isOwn && <WebPushToggle />}
        <Switch name="enable_offline_push_notifications" label={s.mentionPush} />
        <Switch name="enable_online_push_notifications" label={s.onlinePush} />
        <Switch name="enable_followed_topic_push_notifications" label={s.followedPush} />
        <Switch name="enable_stream_push_notifications" label={s.channelPush} />
      </Section>
    </>
  );
}

/** For how many seconds messages are gathered. What another program set stands among them. */
const usualDelays = [30, 120, 300, 600, 3600, 21_600];

function EmailDelay() {
  const present = Number(usePreferences().values["email_notifications_batching_period_seconds"] ?? 120);
  const offered = [...new Set([...usualDelays, present])].sort((one, other) => one - other);
  return (
    <Select
      name="email_notifications_batching_period_seconds"
      label={s.emailDelay}
      choices={offered.map((secs) => [String(secs), lengthOf(secs)] as const)}
    />
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
