/** https://dev.frontapp.com/docs/webhooks-1 */
import { byEvent, type Teller } from "../notice/integration.ts";
import { link, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const person = (at: Payload): string =>
  `${at.line("first_name")} ${at.line("last_name")}`.trim() || at.line("username", "email");
const source = (payload: Payload): string => person(payload.at("source.data")) || "A rule";

/** A mail that came or went: between whom, and about what. */
const mail =
  (name: string, isInbound: boolean, hasSubject = true): Teller =>
  (payload) => {
    const outside = payload.line("conversation.recipient.handle");
    const inbox = payload.line("source.data.0.address", "source.data.0.name");
    const [from, to] = isInbound ? [outside, inbox] : [inbox, outside];
    const url = `https://app.frontapp.com/open/${payload.line("target.data.id")}`;
    const subject = hasSubject ? quote(payload.line("conversation.subject")) : "";
    return `${link(name, url)} from **${from}** to **${to}**${subject === "" ? "." : `:${subject}`}`;
  };

const commented: Teller = (payload) =>
  `**${source(payload)}** left a comment:${quote(payload.text("target.data.body"))}`;

const deed =
  (did: string): Teller =>
  (payload) =>
    `**${source(payload)}** ${did} the conversation.`;

const assigned: Teller = (payload) => {
  const to = person(payload.at("target.data"));
  return to === source(payload)
    ? `**${to}** took the conversation.`
    : `**${source(payload)}** assigned it to **${to}**.`;
};

export const front = byEvent({
  name: "front",
  displayName: "Front",
  event: ({ payload }) => payload.need("type"),
  topic: (payload) => payload.need("conversation.id"),
  tells: {
    inbound: mail("Message", true),
    outbound: mail("Message", false),
    out_reply: mail("Reply", false, false),
    comment: commented,
    mention: commented,
    assign: assigned,
    unassign: deed("unassigned"),
    archive: deed("archived"),
    reopen: deed("reopened"),
    trash: deed("deleted"),
    restore: deed("restored"),
    tag: (payload) => `**${source(payload)}** added the tag **${payload.line("target.data.name")}**.`,
    untag: (payload) => `**${source(payload)}** removed the tag **${payload.line("target.data.name")}**.`,
  },
});
