/** https://developer.clickup.com/docs/webhooks */
import { defined } from "../../../storage/failures.ts";
import { byEvent, type Teller } from "../notice/integration.ts";
import { link, listed } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const site = "https://app.clickup.com";

/** Where each kind of thing is, of a team. */
const places: Readonly<Record<string, (team: string, payload: Payload) => string>> = {
  task: (team, payload) => `${site}/t/${team}/${payload.line("task_id")}`,
  space: (team, payload) => `${site}/${team}/v/s/${payload.line("space_id")}`,
  folder: (team, payload) => `${site}/${team}/v/o/f/${payload.line("folder_id")}`,
  list: (team, payload) => `${site}/${team}/v/l/li/${payload.line("list_id")}`,
  goal: (team) => `${site}/${team}/goals`,
  "key result": (team) => `${site}/${team}/goals`,
};

/** What changed: a value of ClickUp is a text, or an object that has a name. */
const changes = (payload: Payload): string[] =>
  payload.list("history_items").flatMap((item) => {
    const [before, after] = ["before", "after"].map((when) =>
      item.line(when, `${when}.status`, `${when}.name`, `${when}.username`, `${when}.priority`),
    );
    const said = item.line("comment.text_content");
    if (said !== "") return [`comment: ${said}`];
    return before === "" && after === ""
      ? []
      : [`${item.line("field").replaceAll("_", " ")}: ${before || "none"} → ${after || "none"}`];
  });

const told =
  (kind: string, did: string): Teller =>
  (payload) => {
    const name = kind.charAt(0).toUpperCase() + kind.slice(1);
    if (did === "deleted") return `A ${kind} was deleted.`;
    const by = payload.line("history_items.0.user.username");
    const thing = link(name, defined(places[kind], "place")(payload.line("team_id"), payload));
    const changed = changes(payload);
    return `${thing} was ${did}${by === "" ? "" : ` by ${by}`}${changed.length === 0 ? "." : `:\n\n${listed(changed)}`}`;
  };

const kinds = Object.keys(places).flatMap((kind) =>
  ["created", "updated", "deleted"].map((did) => {
    const words = `${kind} ${did}`.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
    return [words, told(kind, did)] as const;
  }),
);

export const clickup = byEvent<string>({
  name: "clickup",
  displayName: "ClickUp",
  // `keyResultCreated` is "Key Result Created".
  event: ({ payload }) =>
    payload
      .need("event")
      .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
      .replace(/^[a-z]/, (letter) => letter.toUpperCase()),
  topic: (_payload, event) => {
    const kind = event.replace(/ [A-Z][a-z]+$/, "");
    return kind === "Key Result" ? "Goal" : kind;
  },
  // Each comes beside the event "Task Updated", which tells it too.
  ignores: [
    "Task Status Updated",
    "Task Priority Updated",
    "Task Assignee Updated",
    "Task Due Date Updated",
    "Task Comment Posted",
    "Task Time Estimate Updated",
    "Task Time Tracked Updated",
  ],
  tells: Object.fromEntries(kinds),
});
