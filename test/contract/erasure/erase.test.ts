/** Erasing a person: what goes from every table, what stays and why, what clients hear, and what legal holds keep. */
import { expect, it } from "vitest";
import { erasureJob } from "../../../actors/erasure/job.ts";
import { deletedFilesJob } from "../../../actors/uploads/deleted-files.ts";
import { eraseUser } from "../../../http/process/files/erase.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { ownerPassword as password } from "../../support/client/scim.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";
import * as columns from "../../support/transfer/erased-columns.ts";
import { furnish } from "../../support/transfer/furnish.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [ada, bob, cy, dee, eve] = server.people("Ada", "Bob", ["Cy", 600], "Dee", "Evelina");
const hall = server.channel("hall", [ada, bob, eve]);

it("has a word about every column that names people", async () => {
  expect(await columns.columnsOfPeople(server.database.sql)).toEqual(Object.keys(columns.fates).sort());
});

it("leaves nothing of a person in any table but what it names", async () => {
  await furnish(server, [ada, bob, cy, dee]);
  const { sql } = server.database;
  const { id: realmId } = await server.realm();
  const shared = await ada.say(hall, `Hear @**Bob**, and @_**Bob|${bob.id}** too. Alert: jam`);
  expectSuccess(await ada.client.patch(`/messages/${shared}`, { content: `Hear @**Bob|${bob.id}** again. jam` }));
  await ada.say(hall, "@**topic** hear");
  await bob.say(hall, "What I said");
  await ada.say(hall, "@**topic** hear again");
  const poll = await ada.say(hall, "/poll Figs?\nyes\nno");
  const vote = {
    message_id: poll,
    msg_type: "widget",
    content: JSON.stringify({ type: "vote", key: "canned,0", vote: 1 }),
  };
  expectSuccess(await bob.client.post("/submessage", vote));
  const going = Object.keys(columns.fates).filter((name) => columns.fates[name] === columns.gone);
  const before = new Set(await columns.columnsWith(sql, going, bob.id));
  for (const name of going)
    if (!before.has(name)) await columns.fill(sql, name, { realmId, userId: bob.id, word: `bob ${name}` });
  expect(await columns.columnsWith(sql, going, bob.id)).toEqual(going);

  await sql`
    insert into emails (realm_id, message_id, kind, recipient, letter, created_at, expires_at, next_attempt_at, attempts)
    values (${realmId}, gen_random_uuid(), 'x', ${bob.email}, '{"to": "Bob"}', 1, 2, ${now() + 1000}, 0)`;
  const dry = await erase({ email: bob.email, "dry-run": true, "backup-days": "14" });
  expect(dry.data.would_go).toMatchObject({
    messages: 0,
    reactions: 1,
    votes: 1,
    drafts: 3,
    snippets: 1,
    scheduled: 3,
  });
  expect(dry.data.would_go["mentions"]).toBeGreaterThan(1);
  await expect(erase({ email: bob.email })).rejects.toThrow("--confirm 'Bob'");
  await expect(erase({ email: bob.email, confirm: "Ada" })).rejects.toThrow("--confirm 'Bob'");
  await expect(erase({ email: bob.email, messages: "all" })).rejects.toThrow("keep or delete");
  expect(await columns.columnsWith(sql, going, bob.id)).toEqual(going);

  const picture = `avatars/${realmId}/${(await server.state()).knownUser(bob.id).avatar_path}`;
  const report = await erase({ email: bob.email, confirm: "Bob", "backup-days": "14" });
  expect(await columns.columnsWith(sql, going, bob.id)).toEqual(["attachments.owner_id"]);
  // A file that a message names is a part of it: the messages stay.
  expect(report.data.gone).toMatchObject({ reactions: 1, votes: 1 });
  const stays = new Map(report.data.stays.map((each) => [each.what, each]));
  expect(stays.get("files that these messages name")).toMatchObject({ count: 1 });
  expect(stays.get("messages that they wrote")!.count).toBeGreaterThan(2);
  expect(stays.get("bots of theirs")).toMatchObject({ count: 2 });
  expect(stays.get("backups from before, and files of user export")!.until).toBeGreaterThan(now() + 13 * 86_400);
  const left = (await columns.columnsSaying(sql, "bob")).filter((name) => !columns.texts[name]);
  const free = await sql<{ content: string }[]>`select content from messages where content ilike '%bob%'`;
  // Only words that are no mention.
  expect(free.map(({ content }) => content)).toEqual(["Said before Bob was there"]);
  expect(left).toEqual(["messages.content", "messages.rendered_content", "messages.search"]);
  expect(await sql`select 1 from deleted_files where path = ${picture}`).toHaveLength(1);
  await removeFiles(await server.realm(), now() + 1000);

  const shown = await ada.read(shared);
  expect(shown["content"]).toBe(
    `<p>Hear <span class="user-mention silent" data-user-id="${bob.id}">Deleted user ${bob.id}</span> again. jam</p>`,
  );
  const { message_history } = expectSuccess(await ada.client.get(`/messages/${shared}/history`)) as {
    message_history: JsonObject[];
  };
  expect(message_history[0]!["content"]).toBe(
    `Hear @_**Deleted user ${bob.id}|${bob.id}**, and @_**Deleted user ${bob.id}|${bob.id}** too. Alert: jam`,
  );
  for (const entry of await sql<{ entry: JsonObject }[]>`
    select entry from audit_log where realm_id = ${realmId} and event_type in ('user_erasure_begun', 'user_erased', 'user_deleted')`)
    expect(JSON.stringify(entry)).not.toMatch(/bob|quince/i);
  const { groups } = await server.state();
  for (const { id } of groups.byId.values()) expect(groups.directMembers(id)).not.toContain(bob.id);
  // The same again finds nothing; its messages may still be deleted.
  const again = await erase({ id: String(bob.id), messages: "delete", confirm: `Deleted user ${bob.id}` });
  expect(again.data.gone["messages"]).toBe(stays.get("messages that they wrote")!.count);
  expect(await columns.columnsWith(sql, ["messages.sender_id", ...going], bob.id)).toEqual([]);
  await expect(erase({ id: String(bob.id), messages: "keep", confirm: `Deleted user ${bob.id}` })).rejects.toThrow(
    "already",
  );
  expect(await sql`select names from erasures where names <> '[]'`).toHaveLength(0);
}, 300_000);

it("ER1 tells clients of all nodes, who see what a fetch shows", async () => {
  const named = await ada.say(hall, "See @**Evelina** there");
  const theirs = await eve.say(hall, "mine");
  expectSuccess(await eve.client.post(`/messages/${named}/reactions`, { emoji_name: "heart" }));
  const seen = await assertConverges({
    observers: [ada.client, server.owner.client],
    act: () => erase({ email: eve.email, messages: "delete", confirm: "Evelina" }),
  });
  const told = seen.eventsOf(ada.client, MODERN);
  expect(told).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "realm_user", op: "add" }),
      expect.objectContaining({ type: "delete_message", message_ids: [theirs] }),
      expect.objectContaining({ type: "reaction", op: "remove", message_id: named }),
      expect.objectContaining({ type: "update_message", rendering_only: true, message_id: named }),
    ]),
  );
  expect(JSON.stringify(told)).not.toContain("Evelina");
}, 300_000);

it("ER6 ER7 obeys legal holds: on the person, and on where something was said", async () => {
  const fay = await server.addUser("Fayette");
  await fay.subscribe("hall");
  const hold = async (on: JsonObject) =>
    expectSuccess(await server.owner.client.post("/realm/legal_holds", { name: "Case", password, ...on }))[
      "id"
    ] as number;
  const end = async (id: number) =>
    expectSuccess(await server.owner.client.delete(`/realm/legal_holds/${id}`, { password }));
  const said = await fay.say(hall, "held words of mine");
  const named = await ada.say(hall, "held, of @**Fayette**");
  const free = await ada.say(fay, "free, of @**Fayette**");
  const onPerson = await hold({ user_id: fay.id });
  await expect(erase({ email: fay.email, confirm: "Fayette" })).rejects.toThrow("legal hold");
  expect((await server.state()).knownUser(fay.id)).toMatchObject({ is_active: true, full_name: "Fayette" });
  await end(onPerson);
  const onChannel = await hold({ channel_id: hall.id });
  const report = await erase({ email: fay.email, messages: "delete", confirm: "Fayette" });
  const stays = new Map(report.data.stays.map(({ what, count }) => [what, count]));
  expect(stays.get("copies of deleted messages")).toBe(1);
  expect(stays.get("messages that mention them")).toBe(1);
  const { sql } = server.database;
  expect(await sql`select 1 from messages where id = ${said}`).toHaveLength(0);
  expect(JSON.stringify(await sql`select message from held_messages where id = ${said}`)).toContain(
    "held words of mine",
  );
  expect(await contentOf(named)).toContain("Fayette");
  expect(await contentOf(free)).not.toContain("Fayette");
  await end(onChannel);
  await erase({ id: String(fay.id), confirm: `Deleted user ${fay.id}` });
  expect(await contentOf(named)).toBe(`held, of @_**Deleted user ${fay.id}|${fay.id}**`);
}, 300_000);

it("ER8 goes on where it was ended, by any node that writes", async () => {
  const gus = await server.addUser("Gustavo");
  await gus.subscribe("hall");
  const { database } = server;
  const first = await gus.say(hall, "the first");
  await database.sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select -n, realm_id, recipient_id, channel_id, sender_id, topic, 'x', '<p>x</p>', sent_at, 'test'
    from messages, generate_series(1, 1300) n where id = ${first}`;
  const named = await ada.say(hall, "Where is @**Gustavo**?");
  const left = async () => (await database.sql`select 1 from messages where sender_id = ${gus.id}`).length;
  const realm = await server.realm();
  const before = now();
  await realm.execute("beginErasure", { personId: gus.id, deletesMessages: false });
  // Going on with what was begun needs no word. Deleting more than that does.
  await expect(erase({ id: String(gus.id), messages: "delete" })).rejects.toThrow("--confirm");
  // As a command line that dies after its first batch.
  await realm.execute("beginErasure", { personId: gus.id, deletesMessages: true });
  expect(await realm.execute("eraseMessages", { personId: gus.id })).toEqual({ more: true });
  expect(await left()).toBe(801);
  expect(await erasureJob.findWaiting!(database.sql, before)).toEqual([]);
  expect(await erasureJob.findWaiting!(database.sql, now() + 61)).toEqual([realm.id]);
  for (const each of await server.realms()) await goOn(each, now() + 61);
  expect(await left()).toBe(0);
  expect(await contentOf(named)).toBe(`Where is @_**Deleted user ${gus.id}|${gus.id}**?`);
  const [row] = await database.sql`select counts, names, finished_at from erasures where user_id = ${gus.id}`;
  expect(row).toMatchObject({ counts: { messages: 1301, mentions: 1 }, names: [], finished_at: expect.any(Number) });
}, 300_000);

async function contentOf(id: number): Promise<string> {
  const [row] = await server.database.sql<{ content: string }[]>`select content from messages where id = ${id}`;
  return row!.content;
}

const goOn = ownJob(erasureJob);
const removeFiles = ownJob(deletedFilesJob);
const now = () => Math.floor(Date.now() / 1000);

/** As `parley user erase` does it. */
async function erase(values: Record<string, string | boolean>) {
  const { config, system } = server.server.app;
  const { database } = system.environment;
  const storage = { database, url: "", dataDir: config.dataDir, close: async () => {} };
  return (await eraseUser(storage, config, values)) as {
    text: string;
    data: {
      user_id: number;
      gone: Record<string, number>;
      would_go: Record<string, number>;
      stays: { what: string; count?: number; until?: number }[];
    };
  };
}
