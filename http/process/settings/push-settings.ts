/** Settings of notifications for phones. */
import { row, setting, text, textLike, webAddress } from "./setting.ts";

/** `chat.example.com, *.example.org`. */
const hosts = /^(\*|(\*\.)?[\w.-]+(:\d+)?)(\s*,\s*(\*|(\*\.)?[\w.-]+(:\d+)?))*$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const pushSettings = {
  ...row(
    "A relay of one's own for notifications to phones, by `POST` (its form is told in " +
      "`actors/push/notify.ts`). Browsers need none",
    { pushRelayUrl: setting("PARLEY_PUSH_RELAY_URL", webAddress) },
  ),
  pushService: {
    ...row(
      "The push notification service for phones, such as `https://push.zulipchat.com` for Zulip's apps, or a " +
        "`parley push-relay`. Its operator's terms are agreed to by `parley push register` ([Phones](phones.md))",
      { url: setting("PARLEY_PUSH_SERVICE_URL", webAddress) },
    ),
    ...row(
      "By what that service knows this server already, such as the `zulip_org_id` and `zulip_org_key` of a Zulip " +
        "server whose address this one takes over. `parley push register` reads them, and makes new ones without",
      {
        id: setting(
          "PARLEY_PUSH_SERVICE_ID",
          textLike((given) => uuid.test(given), "a random UUID"),
        ),
        key: setting("PARLEY_PUSH_SERVICE_KEY", text),
      },
    ),
  },
  pushRelay: {
    ...row(
      "For `parley push-relay`: hosts of the servers that may register there, like `chat.example.com, *.example.org`, " +
        "or `*` for any ([Phones](phones.md))",
      {
        hosts: setting(
          "PARLEY_PUSH_RELAY_HOSTS",
          textLike((given) => hosts.test(given), "names of hosts with commas between them"),
        ),
      },
    ),
    ...row("For `parley push-relay`: a key of Apple's for push notifications, and its ID and that of its team", {
      apnsKeyFile: setting("PARLEY_APNS_KEY_FILE", text),
      apnsKeyId: setting("PARLEY_APNS_KEY_ID", text),
      apnsTeamId: setting("PARLEY_APNS_TEAM_ID", text),
    }),
    ...row("For `parley push-relay`: Apple's service; `https://api.sandbox.push.apple.com` for apps in development", {
      apnsUrl: setting("PARLEY_APNS_URL", webAddress, "https://api.push.apple.com"),
    }),
    ...row("For `parley push-relay`: the file of a service account of Google's Firebase, and where its service is", {
      fcmFile: setting("PARLEY_FCM_CREDENTIALS_FILE", text),
      fcmUrl: setting("PARLEY_FCM_URL", webAddress, "https://fcm.googleapis.com"),
    }),
  },
};
