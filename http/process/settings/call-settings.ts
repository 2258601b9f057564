/** Settings of the services where people hold video calls. */
import { defaultJitsiUrl } from "../../../actors/calls/services.ts";
import { row, setting, text, webAddress } from "./setting.ts";

export const callSettings = {
  ...row("Where calls are held, unless an organization says otherwise", {
    jitsiUrl: setting("PARLEY_JITSI_URL", webAddress, defaultJitsiUrl),
  }),
  bigBlueButton: {
    ...row("A BigBlueButton server, as `bbb-conf --secret` shows it", {
      url: setting("PARLEY_BIGBLUEBUTTON_URL", webAddress),
      secret: setting("PARLEY_BIGBLUEBUTTON_SECRET", text),
    }),
  },
  zoom: {
    ...row(
      "An application at Zoom; with the account's id it is a server-to-server application and makes calls " +
        "for everybody who has their address there, else people let it into their accounts",
      {
        clientId: setting("PARLEY_ZOOM_CLIENT_ID", text),
        clientSecret: setting("PARLEY_ZOOM_CLIENT_SECRET", text),
        accountId: setting("PARLEY_ZOOM_ACCOUNT_ID", text),
      },
    ),
    ...row("Where Zoom is", {
      apiUrl: setting("PARLEY_ZOOM_API_URL", webAddress, "https://api.zoom.us"),
      oauthUrl: setting("PARLEY_ZOOM_OAUTH_URL", webAddress, "https://zoom.us"),
    }),
  },
  webex: {
    ...row("An integration at Webex, that people let into their accounts, and where Webex is", {
      clientId: setting("PARLEY_WEBEX_CLIENT_ID", text),
      clientSecret: setting("PARLEY_WEBEX_CLIENT_SECRET", text),
      apiUrl: setting("PARLEY_WEBEX_API_URL", webAddress, "https://webexapis.com/v1"),
    }),
  },
  nextcloudTalk: {
    ...row("A Nextcloud with Talk, and the account whose rooms they are; the password is an app password", {
      url: setting("PARLEY_NEXTCLOUD_TALK_URL", webAddress),
      user: setting("PARLEY_NEXTCLOUD_TALK_USER", text),
      password: setting("PARLEY_NEXTCLOUD_TALK_PASSWORD", text),
    }),
  },
  constructorGroups: {
    ...row("The API of Constructor Groups, like `https://example.constructor.app/api/groups/xapi`", {
      url: setting("PARLEY_CONSTRUCTOR_GROUPS_URL", webAddress),
      accessKey: setting("PARLEY_CONSTRUCTOR_GROUPS_ACCESS_KEY", text),
      secretKey: setting("PARLEY_CONSTRUCTOR_GROUPS_SECRET_KEY", text),
    }),
  },
};
