/** Calls on Webex. https://developer.webex.com/meeting/docs/api/v1/meetings/create-a-meeting */
import type { UserRow } from "../../storage/rows.ts";
import type { JobRealm } from "../realm/served.ts";
import { callUrl, isSuccess, noCall, valueIn } from "./ask-service.ts";
import { type OAuthService, postAsUser } from "./oauth.ts";
import { type CallServices, callServicesOf, notSetUp } from "./services.ts";

const name = "Webex";
/** What a personal room's meeting is planned for. */
const meetingSecs = 40 * 60;

/** @throws BAD_REQUEST where it is not set up */
export function webexService({ webex }: CallServices): OAuthService {
  if (!webex) throw notSetUp(name);
  return {
    key: "webex",
    name,
    client: webex,
    authorizeUrl: `${webex.apiUrl}/authorize`,
    tokenUrl: `${webex.apiUrl}/access_token`,
    scope: "meeting:schedules_read meeting:schedules_write spark:all",
    clientProof: "form",
  };
}

/**
 * Makes a call at once. It belongs to a public room, so that everybody gets in. Where the person's organization at
 * Webex has no public rooms it is in their personal one.
 */
export async function createWebexCall(realm: JobRealm, user: UserRow): Promise<{ url: string }> {
  const services = callServicesOf(realm.state);
  const { webex } = services;
  if (!webex) throw notSetUp(name);
  const { apiUrl } = webex;
  const service = webexService(services);
  const title = `Call from ${realm.state.row.name}`;
  const room = await postAsUser(realm, user, service, `${apiUrl}/rooms`, { title, isPublic: true, description: title });
  if (!isSuccess(room) && room.status !== 403) throw noCall(name);
  const start = realm.environment.clock();
  const meeting = isSuccess(room)
    ? { title, adhoc: true, roomId: valueIn(room, "id") }
    : { title, scheduledType: "personalRoomMeeting", start: timeOf(start), end: timeOf(start + meetingSecs) };
  const answer = await postAsUser(realm, user, service, `${apiUrl}/meetings`, meeting);
  if (!isSuccess(answer)) throw noCall(name);
  return callUrl(name, valueIn(answer, "webLink"));
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000Z", "+00:00");
