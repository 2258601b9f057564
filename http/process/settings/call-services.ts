/** Services for video calls, from their settings. */
import type { CallServices } from "../../../actors/calls/services.ts";
import { keysOf } from "../../../storage/rows.ts";
import type { Settings } from "./read-settings.ts";
import { ConfigError, type Setting } from "./setting.ts";
import { settings } from "./settings.ts";

/** @throws ConfigError for a service that is set up in part */
export function readCallServices({ jitsiUrl, ...calls }: Settings["calls"]): CallServices {
  const { accountId, apiUrl, oauthUrl, ...zoomClient } = calls.zoom;
  const { apiUrl: webexApiUrl, ...webexClient } = calls.webex;
  const bigBlueButton = whole(settings.calls.bigBlueButton, calls.bigBlueButton);
  const zoom = whole(settings.calls.zoom, zoomClient);
  const webex = whole(settings.calls.webex, webexClient);
  const nextcloudTalk = whole(settings.calls.nextcloudTalk, calls.nextcloudTalk);
  const constructorGroups = whole(settings.calls.constructorGroups, calls.constructorGroups);
  if (accountId !== undefined && !zoom) throw missing(settings.calls.zoom.clientId, settings.calls.zoom.accountId);
  return {
    jitsiUrl,
    ...(bigBlueButton && { bigBlueButton }),
    ...(zoom && { zoom: { ...zoom, accountId, apiUrl, oauthUrl } }),
    ...(webex && { webex: { ...webex, apiUrl: webexApiUrl } }),
    ...(nextcloudTalk && { nextcloudTalk }),
    ...(constructorGroups && { constructorGroups }),
  };
}

const missing = ({ variable }: Setting, other: Setting) =>
  new ConfigError(`${variable} is missing: ${other.variable} alone sets nothing up.`);

/** All of a service's settings, or none. */
function whole<N extends string>(
  declared: Record<NoInfer<N>, Setting>,
  values: Record<N, string | undefined>,
): Record<N, string> | undefined {
  const names = keysOf(values);
  const isWhole = (all: Record<N, string | undefined>): all is Record<N, string> =>
    names.every((name) => all[name] !== undefined);
  if (isWhole(values)) return values;
  const given = names.find((name) => values[name] !== undefined);
  const lacking = names.find((name) => values[name] === undefined);
  if (given === undefined || lacking === undefined) return undefined;
  throw missing(declared[lacking], declared[given]);
}
