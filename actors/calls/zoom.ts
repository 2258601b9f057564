/** Calls on Zoom. https://developers.zoom.us/docs/api/rest/reference/zoom-api/methods/#operation/meetingCreate */
import type { UserRow } from "../../storage/rows.ts";
import { badRequest, errors } from "../errors.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { JobRealm } from "../realm/served.ts";
import { askService, basicAuth, callUrl, isSuccess, noCall, postJson, valueIn } from "./ask-service.ts";
import { type OAuthService, postAsUser } from "./oauth.ts";
import { type CallServices, callServicesOf, notSetUp } from "./services.ts";

const name = "Zoom";
type Zoom = NonNullable<CallServices["zoom"]>;

/** Zoom's word for an account that it does not have. */
const unknownUserCode = 1001;

/** @throws BAD_REQUEST where people's own accounts are not used */
export function zoomService({ zoom }: CallServices): OAuthService {
  if (!zoom || zoom.accountId !== undefined) throw notSetUp(name);
  return {
    key: "zoom",
    name,
    client: zoom,
    authorizeUrl: `${zoom.oauthUrl}/oauth/authorize`,
    tokenUrl: `${zoom.oauthUrl}/oauth/token`,
    clientProof: "header",
  };
}

/** Makes a call: in the person's own account, or in the one of the server's application. */
export async function createZoomCall(realm: JobRealm, user: UserRow, isVideo: boolean): Promise<{ url: string }> {
  const { zoom } = callServicesOf(realm.state);
  if (!zoom) throw notSetUp(name);
  const meeting = {
    settings: { host_video: isVideo, participant_video: isVideo },
    // It is part of the address. Without one Zoom has people wait to be let in.
    default_password: true,
  };
  if (zoom.accountId !== undefined) return inAccount(realm, user, { ...zoom, accountId: zoom.accountId }, meeting);
  const url = `${zoom.apiUrl}/v2/users/me/meetings`;
  const answer = await postAsUser(realm, user, zoomService(callServicesOf(realm.state)), url, meeting);
  if (!isSuccess(answer)) throw noCall(name);
  return callUrl(name, valueIn(answer, "join_url"));
}

async function inAccount(realm: RealmReader, user: UserRow, zoom: Zoom & { accountId: string }, meeting: object) {
  const given = await askService(realm, name, {
    method: "POST",
    url: `${zoom.oauthUrl}/oauth/token`,
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Authorization: basicAuth(zoom.clientId, zoom.clientSecret),
    },
    body: new URLSearchParams({ grant_type: "account_credentials", account_id: zoom.accountId }).toString(),
  });
  const token = valueIn(given, "access_token");
  if (!isSuccess(given) || typeof token !== "string" || !/^[!-~]+$/.test(token))
    throw badRequest("Zoom did not accept this server's application.");
  const url = `${zoom.apiUrl}/v2/users/${encodeURIComponent(user.delivery_email)}/meetings`;
  const answer = await postJson(realm, name, url, { Authorization: `Bearer ${token}` }, meeting);
  if (valueIn(answer, "code") === unknownUserCode) throw errors.UNKNOWN_ZOOM_USER();
  if (!isSuccess(answer)) throw noCall(name);
  return callUrl(name, valueIn(answer, "join_url"));
}
