/** Legal holds and compliance exports: for owners only, obeyed by whatever deletes, bounded, and in the audit log. */
import { createHash } from "node:crypto";
import PostalMime from "postal-mime";
import { describe, expect, it } from "vitest";
import { type ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { ownerPassword as password } from "../../support/client/scim.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada, eve, admin] = server.people("Ada", "Eve", ["Adi Admin", 200]);
const channel = server.channel("held", [ada, eve]);

describe("a legal hold", () => {
  it("and a compliance export are for owners, who show who they are", async () => {
    for (const { client } of [admin, ada])
      for (const asked of [
        client.get("/realm/legal_holds"),
        client.post("/realm/legal_holds", { name: "Mine", user_id: eve.id, password }),
        client.delete("/realm/legal_holds/1", { password }),
        client.get("/realm/compliance_export", { password }),
      ])
        expectError(await asked, 400, "UNAUTHORIZED_PRINCIPAL");
    const { client } = server.owner;
    expectError(await client.post("/realm/legal_holds", { name: "Case", user_id: eve.id }), 400);
    expectError(await client.get("/realm/compliance_export"), 400);
  });

  it("is on exactly one thing, which exists", async () => {
    const { client } = server.owner;
    for (const params of [
      {},
      { user_id: ada.id, channel_id: channel.id },
      { user_id: 999_999 },
      { channel_id: 999_999 },
      { query: " " },
      { query: "-lunch" },
      { query: "🎉" },
      { user_id: ada.id, name: " " },
    ])
      expectError(await client.post("/realm/legal_holds", { name: "Case", password, ...params }), 400);
    expectError(await client.delete("/realm/legal_holds/999999", { password }), 404);
  });

  it("on a channel keeps what is deleted, with its edits, until it ends", async () => {
    const before = await ada.say(channel, "gone before");
    await remove(server.owner.client, before);
    const id = await hold({ channel_id: channel.id });
    const kept = await ada.say(channel, "first words");
    expectSuccess(await ada.client.patch(`/messages/${kept}`, { content: "second words" }));
    const elsewhere = await ada.say(eve, "not in the channel");
    await remove(server.owner.client, kept);
    expectError(await ada.client.get(`/messages/${kept}`), 400);
    const { messages } = await exported({ hold_id: id });
    const line = messages.find((one) => one.id === kept)!;
    expect(line).toMatchObject({ content: "second words", date_deleted: expect.any(Number) });
    expect(line.edit_history[0]?.prev_content).toBe("first words");
    expect(messages.map((one) => one.id)).not.toContain(elsewhere);
    expect(messages.map((one) => one.id)).not.toContain(before);
    await end(id);
    expect((await exported()).messages.map((one) => one.id)).not.toContain(kept);
  });

  it("on a person keeps what they wrote and direct messages to them, and their account", async () => {
    const id = await hold({ user_id: eve.id });
    const told = await ada.say(eve, "for your eyes");
    const apart = await ada.say(channel, "by somebody else");
    await remove(server.owner.client, apart);
    expectSuccess(
      await server.owner.client.patch("/realm", {
        can_delete_own_message_group: { new: await server.groupNamed("role:everyone") },
      }),
    );
    await remove(ada.client, told);
    const { messages } = await exported({ hold_id: id });
    expect(messages.find((one) => one.id === told)).toMatchObject({ date_deleted: expect.any(Number) });
    expect(messages.map((one) => one.id)).not.toContain(apart);
    const actions = { delete_profile: true };
    const erased = await server.owner.client.delete(`/users/${eve.id}`, { actions });
    expect(expectError(erased, 400)["msg"]).toMatch(/legal hold/);
    await end(id);
  });

  it("on a search keeps what it finds", async () => {
    const id = await hold({ query: "merger -lunch" });
    const [found, other] = [await ada.say(channel, "the mergers begin"), await ada.say(channel, "merger lunch")];
    for (const one of [found, other]) await remove(server.owner.client, one);
    expect((await exported({ hold_id: id })).messages.map((one) => one.id)).toEqual([found]);
    await end(id);
    const accents = await hold({ query: "café-crème" });
    const ordered = await ada.say(channel, "two cafe-creme please");
    await remove(server.owner.client, ordered);
    expect((await exported({ hold_id: accents })).messages.map((one) => one.id)).toEqual([ordered]);
    await end(accents);
  });

  it("on a search keeps what has the words of the version before", async () => {
    const old = await ada.say(channel, "about sess.opts again");
    const { sql } = server.database;
    await sql`alter table messages disable trigger make_message_findable`;
    await sql`update messages set search = to_tsvector('english', content) where id = ${old}`;
    await sql`alter table messages enable trigger make_message_findable`;
    const realm = sql`(select realm_id from messages where id = ${old})`;
    await sql`insert into search_rebuilds (realm_id, up_to) values (${realm}, ${old})`;
    const id = await hold({ query: "opts" });
    await remove(server.owner.client, old);
    expect((await exported({ hold_id: id })).messages.map((one) => one.id)).toEqual([old]);
    await end(id);
  });

  it("keeps files: their hash is the same after they were deleted", async () => {
    const id = await hold({ channel_id: channel.id });
    const content = "a contract";
    const files = { file: { filename: "contract.txt", content } };
    const { url } = expectSuccess(await ada.client.post("/user_uploads", {}, { files })) as { url: string };
    const message = await ada.say(channel, `[contract](${url})`);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const named = async () => (await exported({ hold_id: id })).messages.find((one) => one.id === message)!.attachments;
    const hashes = async () => (await named()).map((one) => one.sha256);
    expect(await hashes()).toEqual([sha256]);
    await remove(server.owner.client, message);
    const { attachments } = expectSuccess(await ada.client.get("/attachments")) as { attachments: { id: number }[] };
    expectSuccess(await ada.client.delete(`/attachments/${attachments[0]!.id}`));
    expectError(await ada.client.get(url.slice(1), {}, { root: false }), 404);
    expect(await hashes()).toEqual([sha256]);
    const [{ path_id } = { path_id: "" }] = await named();
    const params = { message_id: message, path_id, password };
    const { client } = server.owner;
    const whole = await client.post(fileOf, params, { root });
    expect([whole.status, whole.text]).toEqual([200, content]);
    const asked = await client.get(fileOf, params, { root });
    expect([asked.status, asked.text]).toEqual([200, content]);
    expect(whole.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''contract.txt");
    const rest = await client.post(fileOf, params, { root, headers: { range: "bytes=2-" } });
    expect([rest.status, rest.text]).toEqual([206, content.slice(2)]);
    const { audit_log } = expectSuccess(
      await client.get("/realm/audit_log", { event_types: ["realm_compliance_exported"], num_before: 1 }),
    ) as { audit_log: { after: JsonObject }[] };
    expect(audit_log[0]).toMatchObject({ after: { how: "file", position: message, path_id } });
    await end(id);
    expectError(await client.post(fileOf, params, { root }), 404);
  });

  it("and the bytes of its files are for nobody else, nor other files", async () => {
    const { url } = expectSuccess(
      await ada.client.post("/user_uploads", {}, { files: { file: { filename: "a.txt", content: "a" } } }),
    ) as { url: string };
    const named = await ada.say(channel, `[a](${url})`);
    const other = await ada.say(channel, "names nothing");
    const path_id = url.replace("/user_uploads/", "");
    const params = { message_id: named, path_id, password };
    const { client } = server.owner;
    expect((await client.post(fileOf, params, { root })).text).toBe("a");
    for (const person of [admin, ada])
      expectError(await person.client.post(fileOf, params, { root }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await client.get(fileOf, { message_id: named, path_id }, { root }), 400);
    for (const wrong of [{ message_id: other }, { message_id: 999_999_999 }, { path_id: "../../etc/passwd" }])
      expectError(await client.get(fileOf, { ...params, ...wrong }, { root }), 404);
  });
});

describe("a compliance export", () => {
  it("goes on where it ended, in bounded parts, each in the audit log", async () => {
    for (const content of ["one", "two", "three"]) await ada.say(channel, content, "parts");
    const whole = (await exported()).messages.map((one) => one.id);
    const ids: number[] = [];
    for (let after = 0, isOver = false; !isOver; ) {
      const { messages, position, is_complete } = await exported({ after, limit: 2 });
      expect(messages.length).toBeLessThanOrEqual(2);
      ids.push(...messages.map((one) => one.id));
      [after, isOver] = [position, is_complete];
    }
    expect(ids).toEqual(whole);
    const { audit_log } = expectSuccess(
      await server.owner.client.get("/realm/audit_log", { event_types: ["realm_compliance_exported"], num_before: 1 }),
    ) as { audit_log: { acting_user_id: number; after: JsonObject }[] };
    expect(audit_log[0]).toMatchObject({
      acting_user_id: server.owner.id,
      after: { position: ids.at(-1), how: "json" },
    });
  });

  it("is JSON lines and emails too", async () => {
    const id = await ada.say(channel, "as an email", "mail");
    const params = { after: id - 1, limit: 1, password };
    const { client } = server.owner;
    const lines = await client.get("/realm/compliance_export", { ...params, format: "jsonl" });
    expect(JSON.parse(lines.text)).toMatchObject({ id, content: "as an email", channel: { name: "held" } });
    expect(lines.headers.get("X-Position")).toBe(String(id));
    const box = (await client.get("/realm/compliance_export", { ...params, format: "mbox" })).text;
    const mail = await PostalMime.parse(box.slice(box.indexOf("\n") + 1));
    expect(mail).toMatchObject({ subject: "#held > mail", from: { name: "Ada" } });
    expect(mail.text?.trim()).toBe("as an email");
  });
});

const fileOf = "/compliance_export/file";
const root = true;

interface Line {
  id: number;
  content: string;
  date_deleted: number | null;
  edit_history: { prev_content?: string }[];
  attachments: { path_id: string; file_name: string; sha256: string | null }[];
}

async function hold(params: JsonObject): Promise<number> {
  const made = await server.owner.client.post("/realm/legal_holds", { name: "Case", password, ...params });
  return expectSuccess(made)["id"] as number;
}

async function end(id: number): Promise<void> {
  expectSuccess(await server.owner.client.delete(`/realm/legal_holds/${id}`, { password }));
}

async function exported(params: JsonObject = {}) {
  const answer = await server.owner.client.post("/realm/compliance_export", { limit: 500, password, ...params });
  return expectSuccess(answer) as unknown as { messages: Line[]; position: number; is_complete: boolean };
}

async function remove(by: ApiClient, id: number): Promise<void> {
  expectSuccess(await by.delete(`/messages/${id}`));
}
