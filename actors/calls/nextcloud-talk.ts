/** Calls on Nextcloud Talk. https://nextcloud-talk.readthedocs.io/en/latest/conversation/ */
import type { RealmReader } from "../realm/reader.ts";
import { basicAuth, callUrl, isSuccess, noCall, postJson, valueIn } from "./ask-service.ts";
import { callServicesOf, notSetUp } from "./services.ts";

const name = "Nextcloud Talk";
/** A conversation that whoever has its address may join, guests too. */
const publicRoom = 3;
/** Characters, as Nextcloud limits them. */
const maxRoomName = 255;

/** Makes a room in the account of the server's. */
export async function createNextcloudTalkCall(realm: RealmReader, roomName: string): Promise<{ url: string }> {
  const { nextcloudTalk } = callServicesOf(realm.state);
  if (!nextcloudTalk) throw notSetUp(name);
  const headers = {
    "OCS-APIRequest": "true",
    Authorization: basicAuth(nextcloudTalk.user, nextcloudTalk.password),
  };
  const room = { roomType: publicRoom, roomName: shortened(roomName) };
  const url = `${nextcloudTalk.url}/ocs/v2.php/apps/spreed/api/v4/room`;
  const answer = await postJson(realm, name, url, headers, room);
  const token = valueIn(answer, "ocs", "data", "token");
  if (!isSuccess(answer) || typeof token !== "string" || !/^[0-9A-Za-z_-]{1,64}$/.test(token)) throw noCall(name);
  return callUrl(name, `${nextcloudTalk.url}/index.php/call/${token}`);
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= maxRoomName ? text : `${characters.slice(0, maxRoomName - 1).join("")}…`;
}
