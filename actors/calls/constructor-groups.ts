/** Calls on Constructor Groups: each person has a room there. https://zulip.com/integrations/constructor-groups */
import { createHash } from "node:crypto";
import type { UserRow } from "../../storage/rows.ts";
import type { RealmReader } from "../realm/reader.ts";
import { callUrl, isSuccess, noCall, postJson, valueIn } from "./ask-service.ts";
import { callServicesOf, notSetUp } from "./services.ts";

const name = "Constructor Groups";

/** The person's room, which is made when it is asked for first. */
export async function createConstructorGroupsCall(realm: RealmReader, user: UserRow): Promise<{ url: string }> {
  const { constructorGroups } = callServicesOf(realm.state);
  if (!constructorGroups) throw notSetUp(name);
  const { accessKey, secretKey, url } = constructorGroups;
  const proof = createHash("sha256").update(`${accessKey}|${secretKey}`).digest("hex");
  const room = `${user.full_name}'s room`;
  const answer = await postJson(
    realm,
    name,
    `${url}/room/default`,
    { Authorization: `Bearer ${accessKey}|${proof}` },
    { creator_email: user.delivery_email, name: room, fallback_name: `${room} (${realm.id}-${user.id})` },
  );
  if (!isSuccess(answer)) throw noCall(name);
  return callUrl(name, valueIn(answer, "url"));
}
