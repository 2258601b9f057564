/** The first pass over an export: what it contains, in an order that is the same on each pass. */
import { allowedHtml } from "../../markdown/allowed-html.ts";
import { widgetOf } from "../../messages/widgets.ts";
import { Findings } from "../checks/check.ts";
import type { ZulipExport } from "./export.ts";
import { MessageColumns, MessageOrder } from "./message-order.ts";
import type {
  OldChannelId,
  OldEmojiId,
  OldFieldId,
  OldFolderId,
  OldGroupId,
  OldRecipientId,
  OldUserId,
} from "./tables.ts";

export interface Survey {
  /** Old ids, ascending. */
  old: {
    users: OldUserId[];
    channels: OldChannelId[];
    groups: OldGroupId[];
    emoji: OldEmojiId[];
    profileFields: OldFieldId[];
    folders: OldFolderId[];
  };
  messages: MessageOrder;
  /** How many messages went nowhere that the export has; they are not among the others. */
  strayMessages: number;
  /** How many of the messages are polls and to-do lists. */
  widgets: number;
  /** What of the messages is not allowed here. */
  findings: Findings;
  /** The conversations that messages are in, by their numbers. */
  places: Place[];
  /** Direct conversations, each as the old ids of its members, ascending. */
  conversations: OldUserId[][];
  /** The conversation of a message, by its old recipient and sender. */
  placeOf(recipient: OldRecipientId, sender: OldUserId): Place | undefined;
}

export type Place = { channel: OldChannelId } | { conversation: number };

const recipientTypes = { person: 1, channel: 2, group: 3 } as const;
const unlikeRenderings = "messages with HTML that no server renders, which is left out of them";
const byNumber = (a: number, b: number): number => a - b;

/** Which conversation a message is in, by its old recipient and sender. New ones are numbered as they come. */
function placesOf(from: ZulipExport): Pick<Survey, "conversations" | "placeOf"> {
  const people = new Map<OldRecipientId, OldUserId>();
  const channelOf = new Map<OldRecipientId, OldChannelId>();
  const membersOf = new Map<OldRecipientId, OldUserId[]>();
  for (const { id, type, type_id } of from.rows("zerver_recipient")) {
    if (type === recipientTypes.person) people.set(id, type_id);
    else if (type === recipientTypes.channel) channelOf.set(id, type_id);
    else membersOf.set(id, []);
  }
  for (const bot of from.rows("zerver_userprofile_crossrealm")) people.set(bot.recipient_id, bot.id);
  for (const user of users(from)) if (user.recipient !== null) people.set(user.recipient, user.id);
  for (const { recipient, user_profile } of from.rows("zerver_subscription"))
    membersOf.get(recipient)?.push(user_profile);

  const conversations: OldUserId[][] = [];
  const placeByKey = new Map<string, number>();
  const conversationOf = (members: readonly OldUserId[]): number => {
    const sorted = [...new Set(members)].sort(byNumber);
    const key = sorted.join(",");
    let place = placeByKey.get(key);
    if (place === undefined) {
      placeByKey.set(key, (place = conversations.length));
      conversations.push(sorted);
    }
    return place;
  };
  const placeOf = (recipient: OldRecipientId, sender: OldUserId): Place | undefined => {
    const channel = channelOf.get(recipient);
    if (channel !== undefined) return { channel };
    const group = membersOf.get(recipient);
    if (group !== undefined) return { conversation: conversationOf([...group, sender]) };
    const person = people.get(recipient);
    return person === undefined ? undefined : { conversation: conversationOf([person, sender]) };
  };
  return { conversations, placeOf };
}

/** Numbers for places, as they come. */
function numbering(places: Place[]): (place: Place) => number {
  const numbers = { channel: new Map<number, number>(), conversation: new Map<number, number>() };
  return (place) => {
    const [known, id] =
      "channel" in place ? [numbers.channel, place.channel] : [numbers.conversation, place.conversation];
    let number = known.get(id);
    if (number === undefined) {
      known.set(id, (number = places.length));
      places.push(place);
    }
    return number;
  };
}

export async function surveyExport(from: ZulipExport): Promise<Survey> {
  const { conversations, placeOf } = placesOf(from);
  const columns = new MessageColumns();
  const findings = new Findings();
  let [strayMessages, widgets] = [0, 0];
  const places: Place[] = [];
  const numberOf = numbering(places);
  for (const name of from.messageFiles)
    for await (const rows of from.messageRows(name, "zerver_message", findings))
      for (const { id, recipient, sender, date_sent, content, rendered_content: html } of rows) {
        const place = placeOf(recipient, sender);
        if (place === undefined) strayMessages++;
        else columns.add(id, date_sent, sender, numberOf(place));
        if (widgetOf(content) !== undefined) widgets++;
        if (html !== null && allowedHtml(html, content) !== html) findings.note(unlikeRenderings);
      }
  findings.note("messages that have their number with others", columns.removeDuplicates());
  const ids = <Id extends number>(rows: readonly { id: Id }[]): Id[] => rows.map(({ id }) => id).sort(byNumber);
  return {
    old: {
      users: ids(users(from)),
      channels: ids(from.rows("zerver_stream")),
      groups: ids(namedGroups(from).filter((group) => !group.is_system_group)),
      emoji: ids(from.rows("zerver_realmemoji")),
      profileFields: ids(from.rows("zerver_customprofilefield")),
      folders: ids(from.rows("zerver_channelfolder")),
    },
    messages: new MessageOrder(columns, places.length),
    strayMessages,
    widgets,
    findings,
    places,
    conversations,
    placeOf,
  };
}

/** All accounts, including placeholders of people who are not on the old server. */
export const users = (from: ZulipExport) => [
  ...from.rows("zerver_userprofile"),
  ...from.rows("zerver_userprofile_mirrordummy"),
];

/** Named groups. Newer versions store the name in another table. */
export const namedGroups = (from: ZulipExport) => {
  const named = from.rows("zerver_namedusergroup");
  return named.length > 0
    ? named.map((group) => ({ ...group, id: group.usergroup_ptr }))
    : from.rows("zerver_usergroup").filter(({ name }) => name !== undefined);
};
