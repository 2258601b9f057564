/** https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/ */
import type { Integration } from "../notice/integration.ts";
import { code, fields, link, plain } from "../notice/markdown.ts";

export const opsgenie: Integration = {
  name: "opsgenie",
  displayName: "Opsgenie",
  events: [
    "AddTeam",
    "UnAcknowledge",
    "AddNote",
    "TestAction",
    "Close",
    "Escalate",
    "AddRecipient",
    "RemoveTags",
    "Acknowledge",
    "Delete",
    "AddTags",
    "TakeOwnership",
    "Create",
    "AssignOwnership",
  ],
  read({ payload }) {
    const [event, topic] = [payload.need("action"), payload.need("integrationName")];
    const at = payload.at("alert");
    const told = fields([
      ["Type", plain(event)],
      ["By", at.line("username")],
      ["Note", at.line("note")],
      ["Recipient", at.line("recipient")],
      ["Tags added", at.line("addedTags")],
      ["Team added", at.line("team")],
      ["Assigned to", at.line("owner")],
      ["Escalation", payload.line("escalationName")],
      ["Tags removed", at.line("removedTags")],
      ["Message", at.line("message")],
      ["Description", at.line("description")],
      ["Priority", at.line("priority")],
      ["Tags", at.lines("tags").map(code).join(", ")],
    ]);
    const alert = link(`Alert of ${topic}`, `https://app.opsgenie.com/alert/V2#/show/${at.line("alertId")}`);
    return { event, topic, content: `${alert}\n\n${told}` };
  },
};
