/** https://developers.intercom.com/docs/references/webhooks/webhook-models */
import { byEvent, type Teller } from "../notice/integration.ts";
import { code, fields, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { textOfHtml } from "./html.ts";

const item = (payload: Payload): Payload => payload.at("data.item");

/** Whom an event is about: the item itself, or what it names. */
function contact(payload: Payload, event: string): Payload {
  const at = item(payload);
  if (event.startsWith("contact.tag")) return at.at("contact");
  return event.startsWith("conversation.") || event.startsWith("user.tag") ? at.at("user") : at;
}

function topicOf(payload: Payload, event: string): string {
  if (event === "company.created") return "Companies";
  if (event === "event.created") return "Events";
  const at = contact(payload, event);
  const type = at.raw("type") || "user";
  return `${type.charAt(0).toUpperCase()}${type.slice(1)}: ${at.raw("name", "pseudonym", "email", "id")}`;
}

const place = (payload: Payload): string =>
  ["city_name", "region_name", "country_name"]
    .map((name) => item(payload).line(`location_data.${name}`))
    .filter(Boolean)
    .join(", ");

const joined =
  (head: string): Teller =>
  (payload) =>
    `${head}:\n\n${fields([
      ["Name", item(payload).line("name", "pseudonym")],
      ["Email", item(payload).line("email")],
      ["Location", place(payload)],
    ])}`;

const admin = (payload: Payload): string => item(payload).person("assignee.name");
const customer = (payload: Payload): string => item(payload).person("user.name", "user.pseudonym", "user.email");

/** What was said last in a conversation. */
const part = (payload: Payload): string =>
  quote(textOfHtml(item(payload).text("conversation_parts.conversation_parts.0.body")));
const first = (payload: Payload): string =>
  quote(textOfHtml(item(payload).text("conversation_message.body", "source.body")));

const adminDid =
  (did: string): Teller =>
  (payload) =>
    `${admin(payload)} ${did} the conversation.`;

export const intercom = byEvent({
  name: "intercom",
  displayName: "Intercom",
  verification: { isEchoed: false },
  event: ({ payload }) => payload.need("topic"),
  topic: topicOf,
  ignores: ["ping"],
  tells: {
    "company.created": (payload) =>
      `The company **${item(payload).line("name")}** was created:\n\n${fields([
        ["Users", item(payload).line("user_count")],
        ["Monthly spending", item(payload).line("monthly_spend")],
      ])}`,
    "contact.added_email": (payload) => `The contact has a new email address: ${item(payload).line("email")}`,
    "contact.created": joined("A contact was created"),
    "contact.signed_up": joined("A contact signed up"),
    "contact.tag.created": (payload) => `The contact was given the tag ${code(item(payload).line("tag.name"))}.`,
    "contact.tag.deleted": (payload) => `The contact lost the tag ${code(item(payload).line("tag.name"))}.`,
    "conversation.admin.assigned": (payload) =>
      `The conversation was assigned to ${item(payload).line("assignee.name") || "nobody"}.`,
    "conversation.admin.closed": adminDid("closed"),
    "conversation.admin.opened": adminDid("opened"),
    "conversation.admin.snoozed": adminDid("snoozed"),
    "conversation.admin.unsnoozed": adminDid("woke up"),
    "conversation.admin.replied": (payload) => `${admin(payload)} replied:${part(payload)}`,
    "conversation.admin.noted": (payload) => `${admin(payload)} added a note:${part(payload)}`,
    "conversation.admin.single.created": (payload) => `${admin(payload)} began a conversation:${first(payload)}`,
    "conversation.user.created": (payload) => `${customer(payload)} began a conversation:${first(payload)}`,
    "conversation.user.replied": (payload) => `${customer(payload)} replied:${part(payload)}`,
    "event.created": (payload) => `There is a new event: **${item(payload).line("event_name")}**`,
    "user.created": joined("A user was created"),
    "user.deleted": () => "The user was deleted.",
    "user.email.updated": (payload) => `The user's email address is now ${item(payload).line("email")}.`,
    "user.tag.created": (payload) => `The user was given the tag ${code(item(payload).line("tag.name"))}.`,
    "user.tag.deleted": (payload) => `The user lost the tag ${code(item(payload).line("tag.name"))}.`,
    "user.unsubscribed": () => "The user wants no more emails.",
    "visitor.signed_up": joined("A visitor signed up"),
  },
});
