/**
 * Calls on BigBlueButton. A call is a link to this server, which says who may moderate and is signed here. Whoever
 * opens it is logged in, and is sent on to the meeting under their name. The first of them makes the meeting.
 * https://docs.bigbluebutton.org/development/api
 */
import { createHash, createHmac, randomInt, timingSafeEqual } from "node:crypto";
import type { UserId } from "../../storage/ids.ts";
import { readInstallation } from "../../storage/realms.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { RealmReader } from "../realm/reader.ts";
import { askService, isSuccess, noCall } from "./ask-service.ts";
import { callServicesOf, notSetUp } from "./services.ts";

const name = "BigBlueButton";
/** Characters of a meeting's name, as BigBlueButton limits them. */
const maxMeetingName = 256;

/** What a link to a call says. */
interface Meeting {
  id: string;
  name: string;
  /** Cameras stay off until the moderator allows them. */
  isVoiceOnly: boolean;
  moderator: UserId;
}

/** A link to a new call. It has no host, so that it is good wherever clients reach this server. */
export async function createBigBlueButtonCall(
  realm: RealmReader,
  user: UserRow,
  { meetingName, isVoiceOnly }: { meetingName: string; isVoiceOnly: boolean },
): Promise<{ url: string }> {
  if (!callServicesOf(realm.state).bigBlueButton) throw notSetUp(name);
  const meeting: Meeting = {
    id: `parley-${randomInt(1e11, 1e12)}${randomInt(1e11, 1e12)}`,
    name: [...meetingName].slice(0, maxMeetingName).join(""),
    isVoiceOnly,
    moderator: user.id,
  };
  const text = Buffer.from(JSON.stringify(meeting)).toString("base64url");
  return { url: `/calls/bigbluebutton/join?bigbluebutton=${text}.${await signatureOf(realm, text)}` };
}

async function signatureOf(realm: RealmReader, text: string): Promise<string> {
  const { key } = await readInstallation(realm.database.sql);
  return createHmac("sha256", key).update(`bigbluebutton:${realm.id}:${text}`).digest("base64url");
}

async function meetingOf(realm: RealmReader, link: string): Promise<Meeting> {
  const [, text, signature] = /^([A-Za-z0-9_-]{1,2500})\.([A-Za-z0-9_-]{43})$/.exec(link) ?? [];
  const right = Buffer.from(await signatureOf(realm, text ?? ""));
  if (text === undefined || signature === undefined || !timingSafeEqual(right, Buffer.from(signature)))
    throw badRequest("This link to a call was not made here.");
  return JSON.parse(Buffer.from(text, "base64url").toString());
}

/** Makes the meeting of a link, or finds it, and returns where this person enters it. @throws BAD_REQUEST */
export async function joinBigBlueButtonCall(realm: RealmReader, user: UserRow, link: string): Promise<string> {
  const { bigBlueButton } = callServicesOf(realm.state);
  if (!bigBlueButton) throw notSetUp(name);
  const meeting = await meetingOf(realm, link);
  const address = (call: "create" | "join", params: Record<string, string>): string => {
    const query = Object.entries(params)
      .map(([param, value]) => `${param}=${encodeURIComponent(value)}`)
      .join("&");
    const checksum = createHash("sha256").update(`${call}${query}${bigBlueButton.secret}`).digest("hex");
    return `${bigBlueButton.url}/api/${call}?${query}&checksum=${checksum}`;
  };
  const answer = await askService(realm, name, {
    method: "GET",
    url: address("create", {
      meetingID: meeting.id,
      name: meeting.name,
      lockSettingsDisableCam: String(meeting.isVoiceOnly),
    }),
    headers: { Accept: "application/xml" },
    body: "",
  });
  const createTime = elementOf(answer.body, "createTime");
  if (elementOf(answer.body, "messageKey") === "checksumError")
    throw badRequest("BigBlueButton did not accept this server's secret.");
  if (!isSuccess(answer) || elementOf(answer.body, "returncode") !== "SUCCESS" || createTime === undefined)
    throw noCall(name);
  return address("join", {
    meetingID: meeting.id,
    role: user.id === meeting.moderator ? "MODERATOR" : "VIEWER",
    fullName: user.full_name,
    // The address is good for this meeting only, not for a later one under the same id.
    createTime,
  });
}

/** The words in an element of an answer, which has no attributes. */
const elementOf = (xml: string, element: string): string | undefined =>
  new RegExp(`<${element}>\\s*(\\w{1,100})\\s*</${element}>`).exec(xml)?.[1];
