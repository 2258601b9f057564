/** What hangs on messages elsewhere comes along, and what does not is counted by its kind. */
import { describe, expect, it } from "vitest";
import { importFromMattermost, importFromRocketchat, importFromSlack } from "../../../http/process/transfer.ts";
import type { JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { importedInto, messagesOf, shown } from "../../support/transfer/imported.ts";
import { oddMattermostExport, oddRocketchatExport, oddSlackExport } from "../../support/transfer/odd-exports.ts";

const server = testServer({ nodeCount: 1 });

describe("Slack", () => {
  it("brings attachments, blocks, pins and people of other workspaces, and counts the rest", async () => {
    const { data, clientOf } = await importedInto(server, importFromSlack, oddSlackExport, "localhost");
    const ada = await clientOf("ada@example.com");
    const said = await messagesOf(ada);
    const texts = said.map(({ content }) => String(content).replace(/\|\d+\*\*/g, "**"));
    expect(texts).toEqual(
      expect.arrayContaining([
        [
          "```quote\nIt ran\nCI: [Build 8](https://ci.example.com/8)\n**green** for @**Bob Ross**",
          "**Took** 8 min\nby Builder\n```",
        ].join("\n"),
        "A summary\n**Harvest**\n**ripe** in #**general**",
        "1. **figs** \n2. @**Bob Ross**",
        "From afar",
        "Ask me",
        "See\n```quote\nshared\n```\na.txt",
      ]),
    );
    expect(said.find(({ content }) => content === "From afar")).toMatchObject({ sender_full_name: "Fay Far" });
    const figs = said.find(({ content }) => content === "Who brings figs?")!;
    const pinned = said.find(({ subject }) => subject === "pinned messages")!;
    expect(shown(pinned)).toEqual(["Bob Ross", "general", "pinned messages", expect.any(String)]);
    expect(pinned["content"]).toBe(
      `[Who brings figs?](#narrow/channel/${figs["stream_id"]}/topic/Who.20brings.20figs.3F/near/${figs["id"]})`,
    );
    expect(pinned["timestamp"]).toBe(1_600_200_000);
    expect(counted(data)).toEqual([
      "attachments that have no text: 1",
      "blocks of messages, of kinds that are not read: 1",
      "buttons and menus of messages: 4",
      "conversations whose folder another one has: 1",
      "conversations without a folder: 1",
      "creators of channels who are unknown: 1",
      "direct conversations with nobody known: 1",
      "files, which Slack's export only links to: 2",
      "folders of conversations in no list: 1",
      "members of channels who are unknown: 1",
      "members of direct conversations who are unknown: 2",
      "messages of somebody unknown: 1",
      "messages without a time: 3",
      "names of channels that are taken, too long or not allowed, and became others: 1",
      "notices of the program: 1",
      "other files of the export: 1",
      "people, channels and messages in a form that Slack's have not: 1",
      "pins in direct conversations, whose messages come along: 1",
      "pins of files, and of messages that are not in the export: 1",
      "previews of links: 1",
      "reactions of people whom the export does not name: 2",
      "reactions of somebody unknown: 1",
      "reactions that somebody has given with the same emoji already: 1",
    ]);
  });
});

describe("Mattermost", () => {
  it("brings attachments, pins, bots and the names of webhooks, and counts the rest", async () => {
    const { data, clientOf } = await importedInto(server, importFromMattermost, oddMattermostExport, "127.0.0.1");
    const said = await messagesOf(await clientOf("ada@example.org"));
    const built = said.find(({ sender_full_name }) => sender_full_name === "Builder")!;
    expect(String(built["content"]).replace(/\|\d+\*\*/g, "**")).toBe(
      "Built\n```quote\nBuild 9\nfor @**Bob Ross**\n**Took** 9\n```",
    );
    expect(textsOf(said, "pinned messages")).toEqual([
      `[Built quote Build 9 for Bob Ross Took 9](#narrow/channel/${built["stream_id"]}/topic/imported.20from.20Mattermost/near/${built["id"]})`,
    ]);
    expect(said.find(({ content }) => content === "Dug")).toMatchObject({ sender_full_name: "The Digger" });
    expect(counted(data)).toEqual([
      "attachments that have no text: 1",
      "lines of the export about other things: roles, schemes and the like: 1",
      "members of direct conversations who are unknown: 1",
      "memberships of channels that are not in the export: 1",
      "messages without a time: 2",
      "other .jsonl files of the folder: 1",
      "pins in direct conversations, whose messages come along: 1",
      "posts in channels that are not in the export: 1",
      "posts of somebody unknown: 1",
      "reactions of somebody unknown: 1",
      "stars of somebody unknown: 1",
    ]);
  });
});

describe("Rocket.Chat", () => {
  it("brings nested quotations, captions, pins, apps' blocks and the names of webhooks, and counts the rest", async () => {
    const { data, clientOf } = await importedInto(server, importFromRocketchat, oddRocketchatExport, "localhost");
    const said = await messagesOf(await clientOf("ada@example.net"));
    const built = said.find(({ sender_full_name }) => sender_full_name === "Builder")!;
    expect(built["content"]).toBe(
      [
        "````quote\nouter\n```quote\ninner\n```\n````",
        "What **grows**",
        "```quote\nhttps://files.example.net/a.mp3\n```",
        "Built",
      ].join("\n"),
    );
    const [pin] = said.filter(({ subject }) => subject === "pinned messages");
    expect(pin).toMatchObject({ sender_full_name: "Ada Lovelace", timestamp: 1_600_560_000 });
    expect(pin!["content"]).toContain(`/near/${built["id"]})`);
    expect(said.map(({ content }) => content)).toContain("From an **app**");
    expect(counted(data)).toEqual(
      expect.arrayContaining([
        "attachments that have no text: 1",
        "collections that are not read: 1",
        "documents in a form that Rocket.Chat's have not: 1",
        "members of direct conversations who are unknown: 1",
        "memberships of discussions that became topics: 1",
        "messages without a time: 1",
        "pins in direct conversations, whose messages come along: 1",
        "reactions of somebody unknown: 1",
        "stars of somebody unknown: 1",
      ]),
    );
  });
});

function textsOf(messages: readonly JsonObject[], topic: string): unknown[] {
  return messages.filter(({ subject }) => subject === topic).map(({ content }) => content);
}

/** The notes that do not say the same of every export. */
function counted(data: JsonObject): string[] {
  return (data["not_brought"] as string[]).filter((note) => /: \d+$/.test(note)).sort();
}
