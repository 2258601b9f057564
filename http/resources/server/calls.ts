/**
 * Video calls. Clients ask for the address of a new call and put it into a message. Jitsi Meet needs no room to be
 * made: clients take `jitsi_server_url` of register.
 */
import { string } from "superstruct";
import { createBigBlueButtonCall } from "../../../actors/calls/big-blue-button.ts";
import { createConstructorGroupsCall } from "../../../actors/calls/constructor-groups.ts";
import { createNextcloudTalkCall } from "../../../actors/calls/nextcloud-talk.ts";
import { createWebexCall } from "../../../actors/calls/webex.ts";
import { createZoomCall } from "../../../actors/calls/zoom.ts";
import { described } from "../../../actors/shape.ts";
import { bool, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

const help = "https://zulip.com/help/configure-call-provider";
const returns = { url: described(string(), "Where the call is: for the text of a message.") };

export const createBigBlueButton = route({
  doc: "https://zulip.com/api/create-big-blue-button-video-call",
  summary: "Makes a video call on BigBlueButton.",
  auth: anyAccount,
  params: {
    meeting_name: text().describe("The meeting's name."),
    voice_only: bool().default(false).describe("Whether it is a call without pictures."),
  },
  returns,
  handle: ({ realm, user, params }) =>
    createBigBlueButtonCall(realm, user, { meetingName: params.meeting_name, isVoiceOnly: params.voice_only }),
});

export const createZoom = route({
  doc: help,
  summary: "Makes a video call on Zoom, in the caller's account there or in the server's.",
  auth: anyAccount,
  params: { is_video_call: bool().default(true).describe("Whether it is a call with pictures.") },
  returns,
  handle: ({ realm, user, params }) => createZoomCall(realm, user, params.is_video_call),
});

export const createWebex = route({
  doc: "https://zulip.com/api/create-webex-video-call",
  summary: "Makes a video call on Webex, in the caller's account there.",
  auth: anyAccount,
  params: {},
  returns,
  handle: ({ realm, user }) => createWebexCall(realm, user),
});

export const createNextcloudTalk = route({
  doc: "https://zulip.com/api/create-nextcloud-talk-video-call",
  summary: "Makes a video call on Nextcloud Talk.",
  auth: anyAccount,
  params: { room_name: text().describe("The room's name.") },
  returns,
  handle: ({ realm, params }) => createNextcloudTalkCall(realm, params.room_name),
});

export const createConstructorGroups = route({
  doc: "https://zulip.com/api/create-constructor-groups-video-call",
  summary: "The caller's room for video calls on Constructor Groups.",
  auth: anyAccount,
  params: {},
  returns,
  handle: ({ realm, user }) => createConstructorGroupsCall(realm, user),
});
