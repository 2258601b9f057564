/**
 * What a search finds and what it does not, by what users of Zulip and Mattermost ask for: parts of compounds
 * (zulip/zulip#10371, #22672), beginnings of words (#364), exact phrases (#27587), Chinese, Japanese and Korean
 * (mattermost/mattermost#23717), short words and accents.
 */
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { HighlightTerms, highlightHtml, highlightSubject } from "../../../actors/narrow/highlight.ts";
import { parseSearch } from "../../../actors/narrow/search-terms.ts";
import { rebuildSearchJob } from "../../../actors/search/rebuild.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { type Name, table, texts } from "../../support/rooms/search-table.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ann] = server.people("Ann");
const lab = server.channel("lab", [ann]);
const ids = new Map<number, Name>();
/** HTML and topics of the messages. */
const rendered = new Map<Name, { content: string; subject: string }>();
beforeAll(setUp);

describe("A search", () => {
  it.each(table)("for %s finds %j", async (query, expected) => {
    expect((await search(query)).map(({ name }) => name)).toEqual(expected);
  });

  it("finds what `messages/matches_narrow` says that it finds", async () => {
    const answer = await ann.client.get("/messages/matches_narrow", {
      msg_ids: [...ids.keys()],
      narrow: [["search", "sess.opts"]],
    });
    const found = Object.keys(expectSuccess(answer)["messages"] as object).map((id) => ids.get(Number(id)));
    expect(found).toEqual(["compiler"]);
  });

  it("negated as a whole leaves out what it would find", async () => {
    const found = await search("run");
    const answer = await ann.client.get("/messages", {
      anchor: "newest",
      num_before: 1000,
      num_after: 0,
      narrow: [["channel", lab.id], { operator: "search", operand: "run", negated: true }],
    });
    const others = (expectSuccess(answer)["messages"] as { id: number }[]).map(({ id }) => ids.get(id));
    expect(others).toHaveLength(ids.size - found.length);
  });
});

describe("Highlights", () => {
  it("mark the word or the part that was meant", async () => {
    const marked = async (query: string) =>
      (await search(query)).flatMap(({ html }) =>
        [...html.matchAll(/<span class="highlight">(.*?)<\/span>/g)].map(([, text]) => text),
      );
    expect(await marked("opts")).toEqual(["opts"]);
    expect(await marked("sess.opts")).toEqual(["sess.opts"]);
    expect(await marked("user")).toEqual(["User"]);
    expect(await marked("userna")).toEqual(["UserName"]);
    expect(await marked("Donau")).toEqual(["Donaudampfschifffahrt"]);
    expect(await marked('"running"')).toEqual(["running"]);
    expect(await marked("上海")).toEqual(["上海"]);
    expect(await marked("strasse")).toEqual(["Straße"]);
    expect(await marked('"to be or not to be"')).toEqual(["to be or not to be"]);
  });

  it.each(table.filter(([query]) => isOneTerm(query)))("for %s are in %j, and in no other", async (query, expected) => {
    const terms = new HighlightTerms(parseSearch(query).wanted);
    const found = [...ids.values()].filter((name) => {
      const { content, subject } = rendered.get(name)!;
      return /class="highlight"/.test(highlightHtml(content, terms) + highlightSubject(subject, terms));
    });
    expect(found).toEqual(expected);
  });
});

function isOneTerm(query: string): boolean {
  const { wanted, unwanted } = parseSearch(query);
  return wanted.length === 1 && unwanted.length === 0;
}

describe("Messages with the words of the version before", () => {
  it("are found by these until a job has given them those of this one", async () => {
    const { sql } = server.database;
    const realm = await server.realm();
    // The server would do it by itself within seconds.
    const { findWaiting } = rebuildSearchJob;
    Object.assign(rebuildSearchJob, { findWaiting: async () => [] });
    onTestFinished(() => void Object.assign(rebuildSearchJob, { findWaiting }));
    await server.database.transaction(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update messages set search = to_tsvector('english', topic || ' ' || content) || array_to_tsvector(array['#' || (id >> 12), '##' || (id >> 16), '@' || recipient_id]) where channel_id = ${lab.id}`;
      await tx`insert into search_rebuilds (realm_id, up_to) select realm_id, max(id) from messages where channel_id = ${lab.id} group by realm_id`;
    });
    const found = async (query: string) => (await search(query)).map(({ name }) => name);
    expect(await found("opts")).toEqual([]);
    expect(await found("authentication")).toEqual(["authentication"]);
    expect(await found("https://github.com/zulip/zulip/issues/364#top")).toEqual(["link"]);
    const later = await ann.client.post("/messages", {
      type: "channel",
      to: lab.id,
      topic: "words",
      content: "meanwhile sess.opts",
    });
    ids.set(expectSuccess(later)["id"] as number, "later" as Name);
    expect(await found("opts")).toEqual(["later"]);
    await rebuildSearchJob.run(realm, Math.floor(Date.now() / 1000));
    expect(await found("opts")).toEqual(["compiler", "later"]);
    expect(await sql`select from search_rebuilds`).toHaveLength(0);
  });
});

async function search(query: string): Promise<{ name: Name | undefined; html: string }[]> {
  const answer = await ann.client.get("/messages", {
    anchor: "newest",
    num_before: 1000,
    num_after: 0,
    narrow: [
      ["channel", lab.id],
      ["search", query],
    ],
  });
  const messages = expectSuccess(answer)["messages"] as { id: number; match_content: string; match_subject: string }[];
  return messages
    .filter(({ id }) => ids.has(id))
    .map(({ id, match_content, match_subject }) => ({ name: ids.get(id), html: match_subject + match_content }));
}

async function setUp(): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    const [content, topic = "words"] = text.split(" | ");
    const sent = await ann.client.post("/messages", { type: "channel", to: lab.id, topic, content: content! });
    ids.set(expectSuccess(sent)["id"] as number, name as Name);
  }
  const answer = await ann.client.get("/messages", {
    anchor: "newest",
    num_before: 1000,
    num_after: 0,
    narrow: [["channel", lab.id]],
  });
  for (const { id, content, subject } of expectSuccess(answer)["messages"] as {
    id: number;
    content: string;
    subject: string;
  }[])
    if (ids.has(id)) rendered.set(ids.get(id)!, { content, subject });
}
