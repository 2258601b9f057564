/** What Microsoft Graph tells of Teams, by its documentation, as an organization here. */
import { expect, it } from "vitest";
import { importFromTeams } from "../../../http/process/transfer.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { eachColumn, hostile, importedInto, messagesOf, shown } from "../../support/transfer/imported.ts";
import { ada, said, teamsExport } from "../../support/transfer/teams-export.ts";

const server = testServer({ nodeCount: 1 });

it("brings people, channels, threads, reactions, mentions, edits, files, cards, quotations and chats", async () => {
  const { data, clientOf } = await importedInto(server, importFromTeams, teamsExport, "localhost");
  const client = await clientOf("ada@example.edu");
  const messages = await messagesOf(client);
  const rows = messages.map((one) =>
    shown(one).map((part) => (typeof part === "string" ? part.replace(/\|\d+\*\*/g, "**") : part)),
  );
  const [general, hiring] = ["Orchard / General", "Orchard / Hiring"];
  const main = "imported from Teams";
  expect(rows).toEqual([
    ["Ada Lovelace", general, main, "Hello @**Bob Ross**, @**all**, see [this](https://example.edu/a)"],
    ["Bob Ross", general, "Who brings figs ?", "Who brings **figs**?"],
    ["Ada Lovelace", general, "Who brings figs ?", "I do"],
    ["Bob Ross", general, main, "Late"],
    ["Ada Lovelace", general, "Harvest: the plan", "The list\n\nof it"],
    ["Builder", general, main, "```quote\nBuild 7\ndone\n```"],
    [
      "Bob Ross",
      general,
      main,
      expect.stringMatching(
        /^```quote\nAda Lovelace\nHello Bob\n```\nSame here\n\[plan b\.txt\]\(https:\/\/example\.sharepoint\.com\/plan%20b\.txt\)\n\[list\.txt\]\(\/user_uploads\/.*\)$/,
      ),
    ],
    ["Ada Lovelace", hiring, main, expect.stringMatching(/^Look\n\[aWQ.*\.png\]\(\/user_uploads\/.*\.png\)$/)],
    ["Bob Ross", ["Ada Lovelace", "Bob Ross"], "", "```\na * b\n```\n\n* one\n* two"],
    ["Fay Far", ["Ada Lovelace", "Bob Ross", "Cy Guest", "Fay Far"], "", "Among three"],
  ]);
  expect((messages[1]!["reactions"] as JsonObject[]).map(({ emoji_name }) => emoji_name)).toEqual(["+1", "laughing"]);
  expect(messages[2]!["last_edit_timestamp"]).toBe(1_600_000_040);
  const path = /\/user_uploads\/[^)]*list\.txt/.exec(messages[6]!["content"] as string)![0];
  expect((await client.get(path, {}, { root: true })).text).toBe("figs");
  expect(expectSuccess(await client.get("/users/me"))["role"]).toBe(100);
  // What is private stays so.
  const bob = await clientOf("bob@example.edu");
  expect((await messagesOf(bob)).map(({ display_recipient }) => display_recipient)).not.toContain(hiring);
  expect((data["not_brought"] as string[]).filter((note) => /: \d+$/.test(note)).sort()).toEqual([
    "answers to what is not in the folder, in no thread: 1",
    "attachments that have no text: 1",
    "chats with nobody known: 1",
    "files, which Graph only links to: 1",
    "looks and buttons of cards, whose texts come along: 1",
    "members of channels who are unknown: 1",
    "members of chats who are unknown: 1",
    "messages in channels and chats that are not in the folder: 1",
    "messages that were deleted: 1",
    "notices of the program: 1",
    "reactions of somebody unknown: 1",
    "reactions with emoji that are not in the export: 1",
  ]);
});

it("comes in without rows of other forms, and names their file, row and column", async () => {
  const files: Record<string, string> = { ...teamsExport };
  for (const [name, text] of Object.entries(teamsExport).filter(([one]) => one.endsWith(".json"))) {
    const read = JSON.parse(text) as { value: JsonObject[] } | JsonObject[];
    const rows = Array.isArray(read) ? read : read.value;
    files[name] = JSON.stringify({ value: [...rows, ...hostile, ...rows.flatMap((row) => eachColumn(row, hostile))] });
  }
  // Answers that answer each other, or themselves.
  const loop = [said("l1", 1, ada, "One", { replyToId: "l2" }), said("l2", 2, ada, "Two", { replyToId: "l1" })];
  files["messages/3.json"] = JSON.stringify([...loop, said("l3", 3, ada, "Three", { replyToId: "l3" })]);
  for (let page = 0; page < 2000; page++) files[`messages/page-${page}.json`] = '{"value":[]}';
  files["messages/4.json"] = '{"value":{"length":1000000}}';
  files["messages/5.json"] = JSON.stringify([said("__proto__", 4, ada, `${"<b><i>".repeat(20_000)}deep`)]);
  const { data, clientOf } = await importedInto(server, importFromTeams, files, "localhost");
  const notes = (data["not_brought"] as string[]).join("\n");
  expect(notes).toContain("users.json, row 3: it has another form: 1");
  expect(notes).toContain("messages/4.json has no rows in value: 1");
  expect(notes).toContain("further rows in a form that Graph's have not");
  expect(notes).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\u202e]/);
  const texts = (await messagesOf(await clientOf("ada@example.edu"))).map(({ content }) => content);
  expect(texts).toEqual(expect.arrayContaining(["Who brings **figs**?", "One", "Two", "Three"]));
});

it("says which file is no JSON, and what is missing", async () => {
  const imported = (files: Record<string, string>) => importedInto(server, importFromTeams, files, "localhost");
  await expect(imported({ "users.json": "[]" })).rejects.toThrow("there is no messages.json");
  await expect(imported({ ...teamsExport, "messages/1.json": "<html>" })).rejects.toThrow(
    "messages/1.json is no JSON.",
  );
});
