/**
 * Services on which people hold video calls, as whoever runs the server has set them up.
 * https://zulip.com/help/configure-call-provider
 */

import { badRequest } from "../errors.ts";
import type { RealmState } from "../realm/state/state.ts";

/** What an application is known by at a service that people give access to their accounts there. */
export interface OAuthClient {
  clientId: string;
  clientSecret: string;
}

/** A service that is left out is not set up. Addresses have no slash at the end. */
export interface CallServices {
  /** Where calls on Jitsi Meet are held, unless an organization has its own. */
  jitsiUrl: string;
  /** The address that `bbb-conf --secret` shows. */
  bigBlueButton?: { url: string; secret: string };
  /** With `accountId` the application acts for everybody of one account there, else for those who let it. */
  zoom?: OAuthClient & { apiUrl: string; oauthUrl: string; accountId: string | undefined };
  webex?: OAuthClient & { apiUrl: string };
  nextcloudTalk?: { url: string; user: string; password: string };
  constructorGroups?: { url: string; accessKey: string; secretKey: string };
}

declare module "../realm/state/state.ts" {
  interface ServerChoices {
    /** Where people hold video calls. */
    callServices: CallServices;
  }
}

export const defaultJitsiUrl = "https://meet.jit.si";
const noCallServices: CallServices = { jitsiUrl: defaultJitsiUrl };

/** Where people of an organization hold video calls. */
export const callServicesOf = ({ server }: RealmState): CallServices => server.callServices ?? noCallServices;

/** What an organization may choose among. */
export function callProviders(services: CallServices): Record<string, { name: string; id: number }> {
  const { bigBlueButton, zoom, webex, nextcloudTalk, constructorGroups } = services;
  return {
    disabled: { name: "None", id: 0 },
    jitsi_meet: { name: "Jitsi Meet", id: 1 },
    ...(zoom && zoom.accountId === undefined && { zoom: { name: "Zoom", id: 3 } }),
    ...(bigBlueButton && { big_blue_button: { name: "BigBlueButton", id: 4 } }),
    ...(zoom?.accountId !== undefined && { zoom_server_to_server: { name: "Zoom", id: 5 } }),
    ...(constructorGroups && { constructor_groups: { name: "Constructor Groups", id: 6 } }),
    ...(nextcloudTalk && { nextcloud_talk: { name: "Nextcloud Talk", id: 7 } }),
    ...(webex && { webex: { name: "Webex", id: 8 } }),
  };
}

/** Told to clients in place of a call. */
export const notSetUp = (service: string) => badRequest(`${service} is not configured.`);
