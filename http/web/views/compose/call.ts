/** Begins a call, with pictures or by voice alone, at the organization's provider. */
import type { App } from "../../model/app.ts";
import { placeName } from "../../model/route.ts";
import { t } from "../../texts.ts";
import { ApiError, call, type Method, type Params, wordsOf } from "../../wire/api.ts";

interface Provider {
  method: Method;
  path: string;
  params?(name: string): Params;
  /** What makes it a call by voice alone, where the provider has that. */
  voice?: Params;
  /** Where a person lets this server into their account there. */
  register?: string;
}

const disabled = 0;
const jitsi = 1;

const zoomVoice: Params = { is_video_call: false };

/** By `realm_video_chat_provider`. https://zulip.com/help/configure-call-provider */
const providers: Readonly<Record<number, Provider>> = {
  3: { method: "POST", path: "/calls/zoom/create", register: "/calls/zoom/register", voice: zoomVoice },
  4: {
    method: "GET",
    path: "/calls/bigbluebutton/create",
    params: (meeting_name) => ({ meeting_name }),
    voice: { voice_only: true },
  },
  5: { method: "POST", path: "/calls/zoom/create", voice: zoomVoice },
  6: { method: "POST", path: "/calls/constructorgroups/create" },
  7: { method: "POST", path: "/calls/nextcloud_talk/create", params: (room_name) => ({ room_name }) },
  8: { method: "POST", path: "/calls/webex/create", register: "/calls/webex/register" },
};

const providerOf = (app: App): number => Number(app.store.read("realm")["realm_video_chat_provider"] ?? disabled);

export const offersCalls = (app: App): boolean => {
  const id = providerOf(app);
  return id === jitsi || providers[id] !== undefined;
};

export const offersVoiceCalls = (app: App): boolean => {
  const id = providerOf(app);
  return id === jitsi || providers[id]?.voice !== undefined;
};

/** Jitsi's own setting for a call that begins without pictures. */
const withoutVideo = "#config.startWithVideoMuted=true";

/** The link to a new call, for a message; undefined when there is none, which is told in a note. */
export async function linkToCall(app: App, kind: "video" | "voice"): Promise<string | undefined> {
  const id = providerOf(app);
  const isVoice = kind === "voice";
  const link = (url: string): string => `[${isVoice ? t.joinVoiceCall : t.joinCall}](${url})`;
  if (id === jitsi) {
    const room = `${String(app.store.state["jitsi_server_url"])}/${crypto.randomUUID()}`;
    return link(isVoice ? `${room}${withoutVideo}` : room);
  }
  const provider = providers[id];
  if (!provider) return undefined;
  const name = `${placeName(app, app.route.place.peek())} – ${String(app.store.state["realm_name"] ?? "")}`;
  try {
    const { url } = await call<{ url: string }>(provider.method, provider.path, {
      ...provider.params?.(name),
      ...(isVoice && provider.voice),
    });
    return link(new URL(url, location.origin).href);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { register } = provider;
    const isUnknownThere = error.code === "INVALID_VIDEO_CALL_PROVIDER_TOKEN" && register !== undefined;
    if (isUnknownThere)
      app.ui.note(t.callNeedsAccount, "problem", {
        label: t.connect,
        run: () => void window.open(register, "_blank", "noopener"),
      });
    else app.ui.note(wordsOf(error), "problem");
    return undefined;
  }
}
