/** Services for video calls, from the environment. */
import { type CallServices, defaultJitsiUrl } from "../../actors/calls/services.ts";

type Read = (name: string) => string | undefined;

/** @throws Error that names the variable, for a service that is set up in part */
export function readCallServices(text: Read, url: Read): CallServices {
  const bigBlueButton = group("PARLEY_BIGBLUEBUTTON", { url, secret: text });
  const zoom = group("PARLEY_ZOOM", { client_id: text, client_secret: text });
  // Read in any case: a setting that is read is a known one.
  const accountId = text("PARLEY_ZOOM_ACCOUNT_ID");
  const zoomApiUrl = url("PARLEY_ZOOM_API_URL") ?? "https://api.zoom.us";
  const zoomOauthUrl = url("PARLEY_ZOOM_OAUTH_URL") ?? "https://zoom.us";
  const webex = group("PARLEY_WEBEX", { client_id: text, client_secret: text });
  const webexApiUrl = url("PARLEY_WEBEX_API_URL") ?? "https://webexapis.com/v1";
  const nextcloud = group("PARLEY_NEXTCLOUD_TALK", { url, user: text, password: text });
  const groups = group("PARLEY_CONSTRUCTOR_GROUPS", { url, access_key: text, secret_key: text });
  if (accountId !== undefined && !zoom) throw missing("PARLEY_ZOOM_CLIENT_ID", "PARLEY_ZOOM_ACCOUNT_ID");
  return {
    jitsiUrl: url("PARLEY_JITSI_URL") ?? defaultJitsiUrl,
    ...(bigBlueButton && { bigBlueButton }),
    ...(zoom && { zoom: { ...clientOf(zoom), accountId, apiUrl: zoomApiUrl, oauthUrl: zoomOauthUrl } }),
    ...(webex && { webex: { ...clientOf(webex), apiUrl: webexApiUrl } }),
    ...(nextcloud && { nextcloudTalk: nextcloud }),
    ...(groups && {
      constructorGroups: { url: groups.url, accessKey: groups.access_key, secretKey: groups.secret_key },
    }),
  };
}

const clientOf = (given: { client_id: string; client_secret: string }) => ({
  clientId: given.client_id,
  clientSecret: given.client_secret,
});

const missing = (name: string, other: string) => new Error(`${name} is missing: ${other} alone sets nothing up.`);

/** All of a service's settings, or none. */
function group<N extends string>(prefix: string, parts: Record<N, Read>): Record<N, string> | undefined {
  const names = Object.keys(parts) as N[];
  const variable = (name: N): string => `${prefix}_${name.toUpperCase()}`;
  const found = new Map(names.map((name) => [name, parts[name](variable(name))]));
  const given = names.find((name) => found.get(name) !== undefined);
  const lacking = names.find((name) => found.get(name) === undefined);
  if (given === undefined) return undefined;
  if (lacking !== undefined) throw missing(variable(lacking), variable(given));
  return Object.fromEntries(found) as Record<N, string>;
}
