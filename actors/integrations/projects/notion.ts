/** https://developers.notion.com/reference/webhooks */
import { defined, upTo } from "../../../storage/failures.ts";
import { byEvent, type Notice, type Teller } from "../notice/integration.ts";
import { code, link } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** It tells ids, no names; those would have to be asked with a token. */
function thing(payload: Payload, name: string): string {
  const [id, type] = [payload.line("entity.id"), payload.line("entity.type")];
  const page = type === "comment" ? payload.line("data.page_id", "data.parent.id") : id;
  return link(name, page === "" ? "" : `https://www.notion.so/${page.replaceAll("-", "")}`);
}

/** A data source is what newer versions call the table in a database. */
const tableVerbs = {
  created: "was created",
  deleted: "was moved to the trash",
  undeleted: "was restored from the trash",
  moved: "was moved",
  content_updated: "has a new content",
  schema_updated: "has a new schema",
};

const names: Readonly<Record<string, string>> = {
  page: "Page",
  database: "Database",
  data_source: "Datasource",
  comment: "Comment",
};
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  page: {
    created: "was created",
    deleted: "was moved to the trash",
    undeleted: "was restored from the trash",
    moved: "was moved",
    locked: "was locked",
    unlocked: "was unlocked",
    content_updated: "has a new content",
    properties_updated: "has new properties",
    transcription_block_transcript_deleted: "lost a transcript",
  },
  database: tableVerbs,
  data_source: tableVerbs,
  comment: { created: "was written", updated: "was edited", deleted: "was deleted" },
};

const tells = Object.fromEntries(
  Object.entries(verbs).flatMap(([kind, actions]) =>
    Object.entries(actions).map(([action, verb]): [string, Teller] => [
      `${kind}.${action}`,
      (payload) => {
        const count = payload.list("authors").length;
        return `${thing(payload, defined(names[kind], "name"))} ${verb}${count > 1 ? ` by ${count} people` : ""}.`;
      },
    ]),
  ),
);

export const notion = byEvent<string>({
  name: "notion",
  displayName: "Notion",
  event: ({ payload }: Notice) => (payload.has("verification_token") ? "verification" : payload.need("type")),
  topic: (_payload, event) => names[upTo(event, ".")] ?? "Verification",
  tells: {
    ...tells,
    verification: (payload) =>
      `The webhook works. Notion asks for this verification token, in its settings: ${code(payload.line("verification_token"))}`,
  },
});
