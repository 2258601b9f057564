/** Settings of notifications for phones. */
import { row, setting, text, textLike, webAddress } from "./setting.ts";

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
};
