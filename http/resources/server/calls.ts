/**
 * Rooms for video calls on services that need an account of the server's. This server has none: clients are told so.
 */
import { badRequest } from "../../../actors/errors.ts";
import { text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Jitsi Meet needs no room to be made: clients take `jitsi_server_url` of register. */
const callRoute = (service: string, doc: string) =>
  route({
    doc,
    summary: `Makes a video call on ${service}, which this server is not set up for: answered with an error that says so.`,
    auth: anyAccount,
    params: { meeting_name: text().optional(), voice_only: text().optional(), is_video_call: text().optional() },
    handle() {
      throw badRequest(`${service} is not configured.`);
    },
  });

export const createBigBlueButtonCall = callRoute(
  "BigBlueButton",
  "https://zulip.com/api/create-big-blue-button-video-call",
);
export const createZoomCall = callRoute("Zoom", "https://zulip.com/help/configure-call-provider");
export const createWebexCall = callRoute("Webex", "https://zulip.com/help/configure-call-provider");
export const createNextcloudTalkCall = callRoute("Nextcloud Talk", "https://zulip.com/help/configure-call-provider");
export const createConstructorGroupsCall = callRoute(
  "Constructor Groups",
  "https://zulip.com/help/configure-call-provider",
);
