/** https://support.freshdesk.com/support/solutions/articles/132589-using-webhooks-in-automation-rules */
import { byEvent, type Notice } from "../notice/integration.ts";
import { fields, link, plain, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { textOfHtml } from "./html.ts";

const ticket = (payload: Payload): Payload => payload.at("freshdesk_webhook");

/** `{status:{from:4,to:6}}` or `{ticket_action:created}`: a name, and a value or two. It is no JSON. */
const parts = (payload: Payload): string[] =>
  ticket(payload).need("triggered_event").replace(/[{}"]/g, "").split(/[:,]/).map(plain);

/** Statuses and priorities come as numbers; those that accounts add have no name here. */
const names: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: {
    2: "Open",
    3: "Pending",
    4: "Resolved",
    5: "Closed",
    6: "Waiting on Customer",
    7: "Waiting on Third Party",
  },
  priority: { 1: "Low", 2: "Medium", 3: "High", 4: "Urgent" },
};

const changed = (property: string) => (payload: Payload) => {
  const [, , from = "", , to = ""] = parts(payload);
  const nameOf = (value: string) => names[property]?.[value] ?? value;
  return `${about(payload, "updated")}\n\n* **${property.charAt(0).toUpperCase()}${property.slice(1)}**: ${nameOf(from)} → ${nameOf(to)}`;
};

const about = (payload: Payload, did: string): string => {
  const at = ticket(payload);
  const mail = at.line("requester_email");
  const number = link(`ticket #${at.line("ticket_id")}`, at.text("ticket_url"));
  return `${at.person("requester_name")}${mail === "" ? "" : ` (${mail})`} ${did} ${number}:`;
};

/** Automations may be triggered by anything. */
const left = "left out";

function eventOf({ payload }: Notice): string {
  const [name = "", value] = parts(payload);
  if (value === "created") return "ticket_created";
  return ["note_type", "status", "priority"].includes(name) ? name : left;
}

export const freshdesk = byEvent({
  name: "freshdesk",
  displayName: "Freshdesk",
  event: eventOf,
  topic: (payload) => `#${ticket(payload).need("ticket_id")}: ${ticket(payload).raw("ticket_subject")}`,
  ignores: [left],
  tells: {
    ticket_created: (payload) => {
      const at = ticket(payload);
      return `${about(payload, "created")}${quote(textOfHtml(at.text("ticket_description")))}\n\n${fields([
        ["Type", at.line("ticket_type")],
        ["Priority", at.line("ticket_priority")],
        ["Status", at.line("ticket_status")],
      ])}`;
    },
    note_type: (payload) => {
      const text = textOfHtml(ticket(payload).text("ticket_latest_private_comment", "ticket_latest_public_comment"));
      return `${about(payload, `added a ${parts(payload)[1] ?? ""} note to`).replace(/:$/, text === "" ? "." : ":")}${quote(text)}`;
    },
    status: changed("status"),
    priority: changed("priority"),
  },
});
