import { describe, expect, it } from "vitest";
import { retentionJob } from "../../../actors/retention/job.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { ownerPassword as password } from "../../support/client/scim.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [ada, bob, admin] = server.people("Ada", "Bob", ["Adi Admin", 200]);
const channel = server.channel("kinds", [ada, bob]);

describe("for how long each kind is kept", () => {
  it("is decided by owners, told to administrators, and in the audit log", async () => {
    const undecided = {
      direct_message_days: null,
      earlier_text_days: -1,
      unused_file_days: -1,
      audit_log_days: -1,
    };
    expect(await decided()).toEqual(undecided);
    expect(expectSuccess(await admin.client.get("/realm/retention"))["retention"]).toEqual(undecided);
    for (const { client } of [ada, admin])
      expectError(await client.patch("/realm/retention", { unused_file_days: 1 }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await ada.client.get("/realm/retention"), 400, "UNAUTHORIZED_PRINCIPAL");
    for (const wrong of [0, -1, 1.5, "x", 2 ** 31, "realm_default", []])
      for (const name of ["earlier_text_days", "unused_file_days"])
        expectError(await server.owner.client.patch("/realm/retention", { [name]: wrong }), 400);
    await decide({ direct_message_days: 7, earlier_text_days: 8, unused_file_days: 9 });
    await decide({ direct_message_days: "unlimited" });
    expect(await decided()).toEqual({
      direct_message_days: -1,
      earlier_text_days: 8,
      unused_file_days: 9,
      audit_log_days: -1,
    });
    const { audit_log } = expectSuccess(
      await server.owner.client.get("/realm/audit_log", { event_types: ["realm_property_changed"], num_before: 1 }),
    ) as { audit_log: JsonObject[] };
    expect(audit_log[0]).toMatchObject({ after: { retention: { direct_message_days: -1 } } });
    await decide({
      direct_message_days: "realm_default",
      earlier_text_days: "unlimited",
      unused_file_days: "unlimited",
    });
    expect(await decided()).toEqual(undecided);
  });

  it("RK1 direct messages have days of their own, and clients are told of deletions", async () => {
    const [old, young] = [await ada.say(bob, "old"), await ada.say(bob, "young")];
    const there = await ada.say(channel, "as old, in a channel");
    for (const id of [old, there]) await age(id, 12);
    const seen = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => {
        await decide({ direct_message_days: 10 });
        await expire();
      },
    });
    expect(await existing([old, young, there])).toEqual([young, there]);
    const told = seen.eventsOf(bob.client, MODERN).filter(({ type }) => type === "delete_message");
    expect(told).toEqual([expect.objectContaining({ message_type: "private", message_ids: [old] })]);
    await age(young, 12);
    await decide({ direct_message_days: "unlimited" });
    await server.owner.setRealm({ message_retention_days: 11 });
    await expire();
    expect(await existing([young, there])).toEqual([young]);
    await server.owner.setRealm({ message_retention_days: "unlimited" });
    await decide({ direct_message_days: "realm_default" });
  });

  it("RK2 texts from before an edit go, and who edited when and moves stay known", async () => {
    const id = await ada.say(channel, "first words", "edited");
    for (const content of ["second words", "third words"])
      expectSuccess(await ada.client.patch(`/messages/${id}`, { content }));
    expectSuccess(await ada.client.patch(`/messages/${id}`, { topic: "moved" }));
    const { edit_history: whole, last_edit_timestamp } = await ada.read(id);
    expect(whole).toHaveLength(3);
    const { sql } = server.database;
    // The first edit is old; the second is not.
    await sql`
      update messages set edit_history = jsonb_set(edit_history, '{2,timestamp}', to_jsonb(${daysAgo(20)}::bigint))
      where id = ${id}`;
    await decide({ earlier_text_days: 10 });
    await expire();
    const kept = await ada.read(id);
    expect(
      (kept["edit_history"] as JsonObject[]).map(({ prev_content, prev_topic }) => prev_content ?? prev_topic),
    ).toEqual(["edited", "second words"]);
    await sql`
      update messages set edit_history = jsonb_set(edit_history, '{1,timestamp}', to_jsonb(${daysAgo(20)}::bigint))
      where id = ${id}`;
    await expire();
    const now = await ada.read(id);
    expect(now).toMatchObject({ content: expect.stringContaining("third words"), last_edit_timestamp });
    expect(now["edit_history"]).toEqual([expect.objectContaining({ prev_topic: "edited", user_id: ada.id })]);
    const { message_history } = expectSuccess(await ada.client.get(`/messages/${id}/history`)) as {
      message_history: JsonObject[];
    };
    expect(message_history.map(({ content }) => content)).toEqual(["third words", "third words"]);
    expect(JSON.stringify(await sql`select edit_history from messages where id = ${id}`)).not.toMatch(/first|second/);
    await decide({ earlier_text_days: "unlimited" });
  });

  it("RK3 files go that no message names, nor a draft, a scheduled message, a snippet or a description", async () => {
    const names = ["unused", "linked", "drafted", "saved", "described", "young", "unlinked"];
    const urls = new Map<string, string>();
    for (const name of names) urls.set(name, await upload(name));
    const at = (name: string) => urls.get(name)!;
    await ada.say(channel, `[a](${at("linked")})`);
    const gone = await ada.say(channel, `[a](${at("unlinked")})`);
    const draft = { type: "stream", to: [channel.id], topic: "t", content: `[a](${at("drafted")})` };
    expectSuccess(await ada.client.post("/drafts", { drafts: [draft] }));
    expectSuccess(await ada.client.post("/saved_snippets", { title: "s", content: at("saved") }));
    expectSuccess(await server.owner.client.patch(`/streams/${channel.id}`, { description: `see ${at("described")}` }));
    await unused(
      names.filter((name) => name !== "young"),
      40,
    );
    // It is only now that nothing names it any more.
    expectSuccess(await server.owner.client.delete(`/messages/${gone}`));
    const queue = await ada.queue({ event_types: ["attachment"] });
    await decide({ unused_file_days: 30 });
    await expire();
    expect((await filesOf()).sort()).toEqual(names.filter((name) => name !== "unused").sort());
    expect((await ada.drain(queue)).map(({ op }) => op)).toEqual(["remove"]);
    expectError(await ada.client.get(at("unused").slice(1), {}, { root: false }), 404);
    expect(await server.database.sql`select 1 from deleted_files`).toHaveLength(1);
    await unused(["unlinked"], 40);
    await expire();
    expect(await filesOf()).not.toContain("unlinked");
    await decide({ unused_file_days: "unlimited" });
  });

  it("RK4 legal holds go first: copies of messages, bytes of files, and texts before edits are kept", async () => {
    const made = await server.owner.client.post("/realm/legal_holds", { name: "Case", user_id: ada.id, password });
    const holdId = expectSuccess(made)["id"] as number;
    const direct = await ada.say(bob, "held");
    const edited = await ada.say(channel, "held words");
    const free = await bob.say(channel, "free words");
    for (const [person, id] of [
      [ada, edited],
      [bob, free],
    ] as const)
      expectSuccess(await person.client.patch(`/messages/${id}`, { content: "other words" }));
    await server.database.sql`
      update messages set edit_history = jsonb_set(edit_history, '{0,timestamp}', to_jsonb(${daysAgo(20)}::bigint))
      where id in (${edited}, ${free})`;
    await upload("held");
    await unused(["held"], 20);
    await age(direct, 20);
    await decide({ direct_message_days: 10, earlier_text_days: 10, unused_file_days: 10 });
    await expire();
    expect(await existing([direct])).toEqual([]);
    expect(await filesOf()).not.toContain("held");
    const exported = await server.owner.client.get("/realm/compliance_export", {
      hold_id: holdId,
      limit: 500,
      password,
    });
    const { messages } = expectSuccess(exported) as { messages: { id: number; edit_history: JsonObject[] }[] };
    expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining([direct, edited]));
    expect(messages.find(({ id }) => id === edited)!.edit_history[0]).toMatchObject({ prev_content: "held words" });
    expect((await bob.read(free))["edit_history"]).toBeUndefined();
    const kept = await server.database.sql`select 1 from held_files where path_id like '%/held'`;
    expect(kept).toHaveLength(1);
    expect(await server.database.sql`select 1 from deleted_files where path like '%held%'`).toHaveLength(0);
    expectSuccess(await server.owner.client.delete(`/realm/legal_holds/${holdId}`, { password }));
    await expire();
    expect((await ada.read(edited))["edit_history"]).toBeUndefined();
  });

  it("RK4 a hold that comes after the days were shortened, and before anything went, keeps all of it", async () => {
    const [direct, there] = [await bob.say(ada, "late"), await bob.say(channel, "late, in a channel")];
    const edited = await bob.say(channel, "late words");
    expectSuccess(await bob.client.patch(`/messages/${edited}`, { content: "other words" }));
    await server.database.sql`
      update messages set edit_history = jsonb_set(edit_history, '{0,timestamp}', to_jsonb(${daysAgo(20)}::bigint))
      where id = ${edited}`;
    await age(direct, 20);
    // Ids rise with time.
    await server.database.sql`
      update messages set sent_at = ${daysAgo(20)} where channel_id = ${channel.id} and id <= ${there}`;
    await server.owner.setRealm({ message_retention_days: 10 });
    await decide({ direct_message_days: 10, earlier_text_days: 10 });
    const made = await server.owner.client.post("/realm/legal_holds", { name: "Late", user_id: bob.id, password });
    const hold_id = expectSuccess(made)["id"] as number;
    await expire();
    expect(await existing([direct, there])).toEqual([]);
    const params = { hold_id, limit: 500, password };
    const exported = await server.owner.client.get("/realm/compliance_export", params);
    const { messages } = expectSuccess(exported) as { messages: { id: number; edit_history: JsonObject[] }[] };
    expect(messages.map(({ id }) => id)).toEqual(expect.arrayContaining([direct, there, edited]));
    expect(messages.find(({ id }) => id === edited)!.edit_history[0]).toMatchObject({ prev_content: "late words" });
    expectSuccess(await server.owner.client.delete(`/realm/legal_holds/${hold_id}`, { password }));
    await expire();
    const { messages: left } = expectSuccess(
      await server.owner.client.get("/realm/compliance_export", { limit: 500, password }),
    ) as { messages: { id: number }[] };
    expect(left.map(({ id }) => id)).not.toContain(direct);
    await server.owner.setRealm({ message_retention_days: "unlimited" });
  });

  it("RK5 a backlog of several batches goes in one run, past what is held, and one that ended half way goes on", async () => {
    await decide({ direct_message_days: "unlimited", earlier_text_days: "unlimited", unused_file_days: "unlimited" });
    const last = await ada.say(bob, "the last");
    const { id: realmId, database } = await server.realm();
    await age(last, 20);
    await database.sql`
      insert into messages (id, realm_id, recipient_id, sender_id, content, rendered_content, sent_at, client, edit_history)
      select -n, realm_id, recipient_id, sender_id, 'x', '<p>x</p>', sent_at, 'test',
        jsonb_build_array(jsonb_build_object('user_id', sender_id, 'timestamp', sent_at, 'prev_content', 'before'))
      from messages, generate_series(1, 1300) n where id = ${last}`;
    const left = async () =>
      (await database.sql`select 1 from messages where id < 0 and edit_history is not null`).length;
    await decide({ earlier_text_days: 10 });
    const realm = await server.realm();
    // As a run whose node dies after its first batch.
    const { next } = await realm.execute("expireEarlierTexts", { after: null });
    expect(await left()).toBe(1100);
    expect(next).not.toBeNull();
    await expire();
    expect(await left()).toBe(0);
    await decide({ direct_message_days: 10 });
    expect(await realm.execute("expireDirectMessages", {})).toEqual({ more: true });
    await expire();
    expect(await database.sql`select 1 from messages where realm_id = ${realmId} and id <= ${last} and id < 0`).toEqual(
      [],
    );
    const queue = await ada.queue({ event_types: ["delete_message"] });
    await expire();
    expect(await ada.drain(queue)).toEqual([]);
  });
});

describe("organizations that nobody has loaded", () => {
  it("are looked at in turns, each twice in ten minutes", async () => {
    await ada.say(bob, "old");
    await decide({ direct_message_days: 10 });
    const { id, database } = await server.realm();
    // Ids rise with time.
    await database.sql`update messages set sent_at = ${daysAgo(20)} where realm_id = ${id} and channel_id is null`;
    const begin = Math.floor(now() / 600) * 600;
    const found: number[] = [];
    for (let at = begin; at < begin + 600; at += 5)
      if ((await retentionJob.findWaiting!(database.sql, at)).includes(id)) found.push(at);
    expect(found).toHaveLength(2);
    await expire();
    for (const at of found) expect(await retentionJob.findWaiting!(database.sql, at)).not.toContain(id);
  });
});

const now = () => Math.floor(Date.now() / 1000);
const daysAgo = (days: number) => now() - days * 86_400;
const runJob = ownJob(retentionJob);
const expire = async () => runJob(await server.realm(), now());
const decide = async (change: JsonObject) => expectSuccess(await server.owner.client.patch("/realm/retention", change));
const decided = async () => expectSuccess(await server.owner.client.get("/realm/retention"))["retention"];

async function age(id: number, days: number): Promise<void> {
  await server.database.sql`update messages set sent_at = ${daysAgo(days)} where id = ${id}`;
}

async function existing(ids: number[]): Promise<number[]> {
  const rows = await server.database.sql<{ id: number }[]>`
    select id from messages where id = any(${`{${ids.join(",")}}`}::text::bigint[]) order by id`;
  return rows.map(({ id }) => id);
}

async function upload(filename: string): Promise<string> {
  const files = { file: { filename, content: filename } };
  return expectSuccess(await ada.client.post("/user_uploads", {}, { files }))["url"] as string;
}

/** As if nothing had named these files for so many days. */
async function unused(names: readonly string[], days: number): Promise<void> {
  await server.database.sql`
    update attachments set unlinked_at = ${daysAgo(days)} where file_name in (select unnest(${names as string[]}::text[]))`;
}

const filesOf = async () =>
  (expectSuccess(await ada.client.get("/attachments"))["attachments"] as { name: string }[]).map(({ name }) => name);
