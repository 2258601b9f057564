/** What Slack, Mattermost and Rocket.Chat export, by their documents, as an organization here. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importFromMattermost, importFromRocketchat, importFromSlack } from "../../../http/process/transfer.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import {
  eachColumn,
  hostile,
  type ImportedArgs,
  importedInto,
  importParts,
  messagesOf,
  put,
  shown,
} from "../../support/transfer/imported.ts";
import { mattermostExport, rocketchatExport, slackExport } from "../../support/transfer/others.ts";

const server = testServer({ nodeCount: 1 });

describe("Slack", () => {
  it("brings people, channels, threads, reactions, mentions, links and direct messages", async () => {
    const { data, clientOf } = await imported(importFromSlack, slackExport, "localhost");
    expect(data["people"]).toBe(5);
    const ada = await clientOf("ada@example.com");
    const said = await messagesOf(ada);
    expect(said.map(shown)).toEqual([
      [
        "Ada Lovelace",
        "general",
        "imported from Slack",
        "Hello **all**, see [the page](https://example.com/a?b=1&c=2) :tada:",
      ],
      ["Bob Ross", "general", "Who brings figs?", "Who brings figs?"],
      [
        "Ada Lovelace",
        "general",
        "Who brings figs?",
        expect.stringMatching(/^@\*\*Bob Ross\|\d+\*\* I do, in #\*\*secret\*\*$/),
      ],
      ["Builder", "general", "imported from Slack", "Build 7 is <green> & done"],
      ["Bob Ross", "general", "imported from Slack", "The list\n[list.txt](https://files.example.com/F2)"],
      ["Ada Lovelace", "secret", "imported from Slack", "/me whispers"],
      ["Bob Ross", ["Ada Lovelace", "Bob Ross"], "", "Between us"],
      ["Ada Lovelace", ["Ada Lovelace", "Bob Ross", "Cy Guest"], "", "Among three"],
    ]);
    expect(said[0]!["reactions"]).toMatchObject([
      { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" },
    ]);
    const mention = await ada.get(`/messages/${said[2]!["id"]}`);
    expect(expectSuccess(mention)["message"]).toMatchObject({
      content: expect.stringMatching(/class="user-mention" data-user-id="\d+">@Bob Ross<.*class="stream"/),
    });
    // Everything is read, and Bob was mentioned.
    const bob = await clientOf("bob@example.com");
    expect((await messagesOf(bob)).every((one) => (one["flags"] as string[]).includes("read"))).toBe(true);
    const mentions = await messagesOf(bob, [{ operator: "is", operand: "mentioned" }]);
    expect(mentions.map(({ id }) => id)).toEqual([said[2]!["id"]]);
    const cy = await clientOf("cy@example.com");
    expect((await messagesOf(cy)).map(({ content }) => content)).toEqual(["Among three"]);
    expect(expectSuccess(await cy.get("/users/me"))["role"]).toBe(600);
    expect(data["not_brought"]).toEqual(
      expect.arrayContaining(["notices of the program: 1", "files, which Slack's export only links to: 1"]),
    );
  });
});

describe("Mattermost", () => {
  it("brings people, channels, threads, reactions, stars, emoji, files and direct messages", async () => {
    const { clientOf } = await imported(importFromMattermost, mattermostExport, "127.0.0.1");
    const ada = await clientOf("ada@example.org");
    const said = await messagesOf(ada);
    expect(said.map(shown)).toEqual([
      [
        "Ada Lovelace",
        "Town Square",
        "imported from Mattermost",
        expect.stringMatching(/^Hello @\*\*Bob Ross\|\d+\*\*, see #\*\*Inner\*\*$/),
      ],
      ["Bob Ross", "Town Square", "Who brings figs?", "Who brings figs?"],
      [
        "Ada Lovelace",
        "Town Square",
        "Who brings figs?",
        expect.stringMatching(/^I do\n\[list\.txt\]\(\/user_uploads\/.*\/list\.txt\)$/),
      ],
      ["Bob Ross", ["Ada Lovelace", "Bob Ross"], "", "Between us"],
    ]);
    expect(said[0]!["reactions"]).toMatchObject([{ emoji_name: "quince", reaction_type: "realm_emoji" }]);
    expect(said[1]!["flags"]).toContain("starred");
    expect(said[1]!["last_edit_timestamp"]).toBe(1_600_000_025);
    const path = /\/user_uploads\/[^)]*/.exec(said[2]!["content"] as string)![0];
    expect((await ada.get(path, {}, { root: true })).text).toBe("figs");
    expect(expectSuccess(await ada.get("/users/me"))["role"]).toBe(100);
  });

  it("says what is wrong with what is no export, and changes nothing in a dry run", async () => {
    const { storage, config } = parts();
    const folder = await mkdtemp(join(tmpdir(), "parley-other-"));
    try {
      await expect(importFromSlack(storage, config, { file: folder })).rejects.toThrow("no export of Slack's");
      await expect(importFromMattermost(storage, config, { file: folder })).rejects.toThrow("no bulk export");
      await put(folder, { "data.jsonl": '{"type":"version","version":1}\nnonsense' });
      await expect(importFromMattermost(storage, config, { file: folder })).rejects.toThrow("Line 2");
      await put(folder, slackExport);
      const realms = () => server.database.sql`select id from realms order by id`;
      const before = await realms();
      const { data } = await importFromSlack(storage, config, { file: folder, "dry-run": true });
      expect(data).toMatchObject({ people: 5, channels: 2, messages: 8, reactions: 1 });
      expect(await realms()).toEqual(before);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("Rocket.Chat", () => {
  it("brings people, rooms, threads, discussions, quotations, reactions, stars, emoji, files and edits", async () => {
    const { data, clientOf } = await imported(importFromRocketchat, rocketchatExport, "localhost");
    const ada = await clientOf("ada@example.net");
    const said = await messagesOf(ada);
    expect(said.map(shown)).toEqual([
      [
        "Ada Lovelace",
        "general",
        "imported from Rocket.Chat",
        expect.stringMatching(/^Hello @\*\*Bob Ross\|\d+\*\* and @\*\*all\*\*$/),
      ],
      ["Bob Ross", "general", "Who brings figs?", "Who brings figs?"],
      ["Ada Lovelace", "general", "Who brings figs?", "I **do** ~~not~~, see #**Inner**"],
      [
        "Bob Ross",
        "general",
        "imported from Rocket.Chat",
        expect.stringMatching(/^```quote\nada\nHello @\*\*Bob.*\n```\nSame here$/),
      ],
      [
        "Bob Ross",
        "general",
        "All about figs",
        expect.stringMatching(/^The list\n\[list\.txt\]\(\/user_uploads\/.*\)$/),
      ],
      [
        "Rocket.Cat",
        "Inner",
        "imported from Rocket.Chat",
        "```quote\n[Build 7](https://ci.example.net/7)\nis done\n```",
      ],
      ["Bob Ross", ["Ada Lovelace", "Bob Ross"], "", "Between us"],
    ]);
    expect(said[0]!["reactions"]).toMatchObject([{ emoji_name: "tada" }]);
    expect(said[1]!["flags"]).toContain("starred");
    expect(said[2]!["last_edit_timestamp"]).toBe(1_600_000_045);
    const path = /\/user_uploads\/[^)]*/.exec(said[4]!["content"] as string)![0];
    expect((await ada.get(path, {}, { root: true })).text).toBe("figs many");
    const emoji = expectSuccess(await ada.get("/realm/emoji"))["emoji"];
    expect(Object.values(emoji as JsonObject)).toMatchObject([{ name: "quince" }]);
    const bob = await clientOf("bob@example.net");
    expect((await messagesOf(bob)).map(({ subject }) => subject)).toHaveLength(6);
    expect(expectSuccess(await ada.get("/users/me"))["role"]).toBe(100);
    expect(data["not_brought"]).toEqual(
      expect.arrayContaining([
        "notices of the program: 1",
        "messages in rooms that did not come along: 1",
        "conversations with visitors of a site, and rooms of other kinds: 1",
        "addresses that somebody else has already: 1",
        "reactions of somebody unknown: 1",
      ]),
    );
  });

  it("says which line is no JSON, and what is missing", async () => {
    const { storage, config } = parts();
    const folder = await mkdtemp(join(tmpdir(), "parley-other-"));
    try {
      await expect(importFromRocketchat(storage, config, { file: folder })).rejects.toThrow("no users.json");
      await put(folder, { ...rocketchatExport, "rocketchat_message.json": '{"_id":"a"}\n\n{"_id":' });
      await expect(importFromRocketchat(storage, config, { file: folder, "dry-run": true })).rejects.toThrow(
        "Line 3 of rocketchat_message.json is no JSON.",
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe("what others export in a form of its own", () => {
  it("Slack's comes in without it, and says so", async () => {
    const files: Record<string, string> = { ...slackExport };
    for (const name of Object.keys(slackExport).filter((one) => one.endsWith(".json"))) {
      const rows = JSON.parse(slackExport[name]!) as JsonObject[];
      files[name] = JSON.stringify([...rows, ...hostile, ...eachColumn(rows[0]!, hostile)]);
    }
    const { data, clientOf } = await imported(importFromSlack, files, "localhost");
    expect((data["not_brought"] as string[]).join()).toContain("in a form that Slack's have not");
    const said = (await messagesOf(await clientOf("ada@example.com"))).map(shown);
    expect(said).toContainEqual(["Bob Ross", "general", expect.any(String), "Who brings figs?"]);
  });

  it("Rocket.Chat's comes in without it, and says so", async () => {
    const files: Record<string, string> = { ...rocketchatExport };
    for (const [name, text] of Object.entries(rocketchatExport).filter(([one]) => one.endsWith(".json"))) {
      const rows = text.startsWith("[")
        ? JSON.parse(text)
        : text
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
      const all = [...rows, ...hostile, ...rows.flatMap((row: JsonObject) => eachColumn(row, hostile))];
      files[name] = all.map((row: unknown) => JSON.stringify(row)).join("\n");
    }
    const { data, clientOf } = await imported(importFromRocketchat, files, "localhost");
    expect((data["not_brought"] as string[]).join()).toContain("in a form that Rocket.Chat's have not");
    const said = (await messagesOf(await clientOf("ada@example.net"))).map(shown);
    expect(said).toContainEqual(["Bob Ross", "general", "Who brings figs?", "Who brings figs?"]);
  });

  it("Mattermost's comes in without it, and says so", async () => {
    const name = Object.keys(mattermostExport).find((one) => one.endsWith(".jsonl"))!;
    const lines = mattermostExport[name]!.trim().split("\n");
    const changed = lines.flatMap((text) => {
      const { type, ...content } = JSON.parse(text) as JsonObject & { type: string };
      if (type === "version") return [];
      const inner = content[type] as JsonObject;
      return [...hostile, ...eachColumn(inner, hostile)].map((one) => JSON.stringify({ type, [type]: one }));
    });
    const files = {
      ...mattermostExport,
      [name]: [...lines, ...changed, ...hostile.map((one) => JSON.stringify(one))].join("\n"),
    };
    const { data, clientOf } = await imported(importFromMattermost, files, "127.0.0.1");
    expect((data["not_brought"] as string[]).join()).toContain("in a form that Mattermost's have not");
    const said = (await messagesOf(await clientOf("ada@example.org"))).map(shown);
    expect(said).toContainEqual(["Bob Ross", "Town Square", "Who brings figs?", "Who brings figs?"]);
  });
});

function parts() {
  return importParts(server);
}

function imported(...args: ImportedArgs) {
  return importedInto(server, ...args);
}
