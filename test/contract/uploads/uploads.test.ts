import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryUrl } from "../../../http/resources/uploads/files.ts";
import { findAttachmentsByPath } from "../../../storage/messages/attachments.ts";
import { ApiClient, cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "native build"] });
const { owner } = server;
const [mia, max, gwen] = server.people("Mia Member", "Max Member", ["Gwen Guest", 600]);
beforeAll(setUp);

describe("POST /user_uploads", () => {
  it("takes one file under any field name and answers url, uri and filename", async () => {
    const { url, uri, filename } = await upload();
    expect(url).toMatch(/^\/user_uploads\/\d+\/[0-9a-f]{2}\/[A-Za-z0-9_-]{20,}\/cups\.txt$/);
    expect(uri).toBe(url);
    expect(filename).toBe("cups.txt");
    const answer = await read(mia.client, url);
    expect([answer.status, answer.text]).toEqual([200, text]);
  });

  it("no file, and more than one, are refused", async () => {
    expectError(await mia.client.post("/user_uploads"), 400, "BAD_REQUEST");
    const one = { filename: "a.txt", content: "a" };
    expectError(await mia.client.post("/user_uploads", {}, { files: { a: one, b: one } }), 400, "BAD_REQUEST");
  });

  it("a name cannot lead anywhere or carry markup", async () => {
    for (const [given, kept] of [
      ["../../etc/passwd", "passwd"],
      ["..\\..\\boot.ini", "boot.ini"],
      ["<b>a</b>.html", "b.html"],
      ["two words.txt", "two-words.txt"],
      ["...", "uploaded-file"],
      ["!!!.png", "uploaded-file.png"],
      ["\u2728 \u2728.PNG", "uploaded-file.PNG"],
      [".bashrc", "bashrc"],
      ["Tässchen.txt", "Tässchen.txt"],
      [`${"x".repeat(300)}.txt`, `${"x".repeat(96)}.txt`],
    ] as const) {
      const { url, filename } = await upload(mia, given);
      expect(filename).toBe(kept);
      expect((await read(mia.client, encodeURI(url))).text).toBe(text);
    }
  });

  it("bytes come back as they went", async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
    const { url } = await upload(mia, "noise.bin", bytes, "application/octet-stream");
    expect((await readBytes(mia, url)).equals(bytes)).toBe(true);
  });

  it("a large file comes back whole", async () => {
    const bytes = Buffer.alloc(30 * 1024 * 1024, "0123456789abcdef\r\n--");
    const { url } = await upload(mia, "large.bin", bytes, "application/octet-stream");
    const body = await readBytes(mia, url);
    expect(body.length).toBe(bytes.length);
    expect(body.equals(bytes)).toBe(true);
  });

  it("needs an account", async () => {
    const files = { a: { filename: "a.txt", content: "a" } };
    expectError(await anybody.post("/user_uploads", {}, { files }), 401);
  });
});

describe("reading a file", () => {
  it("the owner reads it; anybody else gets the answer for what does not exist", async () => {
    const { url } = await upload();
    const absent = await read(max.client, `${url}x`);
    expect(absent.status).toBe(404);
    for (const client of [max.client, gwen.client, owner.client, anybody]) {
      const answer = await read(client, url);
      expect([answer.status, answer.text]).toEqual([404, absent.text]);
      expect((await client.get(url)).status).toBe(client === anybody ? 401 : 404);
    }
  });

  it("whoever may read a message that links to it reads it", async () => {
    const { url } = await upload();
    await send(mia, toMax(), `[cups](${url})`);
    expect((await read(max.client, url)).text).toBe(text);
    expect((await read(gwen.client, url)).status).toBe(404);
    await send(mia, { type: "stream", to: hidden, topic: "cups" }, `[cups](${url})`);
    expect((await read(gwen.client, url)).text).toBe(text);
    expect((await read(anybody, url)).status).toBe(404);
  });

  it("a message in a web-public channel opens it to spectators, where the organization has them", async () => {
    await owner.setRealm({ enable_spectator_access: true });
    const open = await server.addChannel("open to all", [owner, mia], { is_web_public: true });
    const { url } = await upload();
    expect((await read(anybody, url)).status).toBe(404);
    await send(mia, { type: "stream", to: open, topic: "cups" }, `[cups](${url})`);
    expect((await read(anybody, url)).text).toBe(text);
    const facts = await anybody.get("/attachments/facts", { path_ids: [url.slice(14)] });
    expect(expectSuccess(facts)["attachments"]).toMatchObject([{ size: text.length }]);
    await owner.setRealm({ enable_spectator_access: false });
    expect((await read(anybody, url)).status).toBe(404);
  });

  it("and is told its size and type, with those of others in one answer", async () => {
    const [one, other] = [await upload(), await upload(mia, "own.bin", "12345", "application/zip")];
    await send(mia, toMax(), `[cups](${one.url})`);
    // Messages link to whatever their writers like.
    const hostile = ["", "../../etc", "x".repeat(5000)];
    const path_ids = [...[one.url, other.url, `${one.url}x`].map((url) => url.slice(14)), ...hostile];
    const facts = async (client: ApiClient) =>
      expectSuccess(await client.get("/attachments/facts", { path_ids }))["attachments"];
    const [cups, own] = [
      { path_id: path_ids[0], size: text.length, content_type: "text/plain" },
      { path_id: path_ids[1], size: 5, content_type: "application/zip" },
    ];
    expect(await facts(mia.client)).toEqual([cups, own]);
    expect(await facts(max.client)).toEqual([cups]);
    expect(await facts(gwen.client)).toEqual([]);
    expect(await facts(anybody)).toEqual([]);
    for (const wrong of [Array.from({ length: 101 }, () => path_ids[0]), ["1/a\u0000b"], [1], "cups.txt"])
      expectError(await mia.client.get("/attachments/facts", { path_ids: wrong }), 400);
  });

  it("whoever may read a file may pass it on", async () => {
    const { url } = await upload();
    await send(mia, toMax(), `[cups](${url})`);
    await send(max, { type: "direct", to: [gwen.id] }, `[cups](${url})`);
    expect((await read(gwen.client, url)).text).toBe(text);
  });

  it("a link by somebody who may not read it opens nothing", async () => {
    const { url } = await upload();
    await send(max, { type: "direct", to: [gwen.id] }, `[cups](${url})`);
    expect((await read(max.client, url)).status).toBe(404);
    expect((await read(gwen.client, url)).status).toBe(404);
  });

  it("the key may stand in the query, as mobile clients send it", async () => {
    const { url } = await upload();
    expect((await read(anybody, url, { api_key: mia.apiKey })).text).toBe(text);
    expectError(await read(anybody, url, { api_key: "x".repeat(32) }), 401);
    expect((await read(anybody, url, { api_key: max.apiKey })).status).toBe(404);
  });

  it("a temporary address works without a login, for this file and no other", async () => {
    const { url } = await upload();
    const other = await upload(mia, "other.txt", "other");
    const temporary = expectSuccess(await mia.client.get(url))["url"] as string;
    expect(temporary).toMatch(/^\/user_uploads\/temporary\//);
    expect((await read(anybody, temporary)).text).toBe(text);
    const [, , , token] = temporary.split("/");
    expect((await read(anybody, temporary.replace(url.slice(14), other.url.slice(14)))).status).toBe(404);
    const [expires, signature] = token!.split(".");
    for (const forged of [
      `${Number(expires) + 100}.${signature}`,
      `1.${signature}`,
      "x",
      `${expires}.${"0".repeat(64)}`,
    ])
      expect((await read(anybody, temporary.replace(token!, forged))).status).toBe(404);
  });

  it("a temporary address works for 60 s and no longer", async () => {
    const { url } = await upload();
    const { sql } = server.database;
    const [attachment] = await findAttachmentsByPath(sql, Number(url.split("/")[2]), [url.slice(14)]);
    const now = Math.floor(Date.now() / 1000);
    expect((await read(anybody, temporaryUrl(attachment!, now - 50))).text).toBe(text);
    expect((await read(anybody, temporaryUrl(attachment!, now - 61))).status).toBe(404);
  });

  it("nothing in a file runs: browsers open what has no scripts, and save everything else", async () => {
    const page = "<script>alert(1)</script>";
    for (const [name, type, told, disposition] of [
      ["page.html", "text/html", "application/octet-stream", "attachment"],
      ["drawing.svg", "image/svg+xml", "application/octet-stream", "attachment"],
      ["script.js", "text/javascript", "application/octet-stream", "attachment"],
      ["feed.xml", "application/xml", "application/octet-stream", "attachment"],
      ["page.xhtml", "application/xhtml+xml", "application/octet-stream", "attachment"],
      ["data.json", "application/json", "application/json", "attachment"],
      ["plain.txt", "text/plain; charset=utf-16", "text/plain; charset=utf-8", "inline"],
      ["page.html", "text/plain", "text/plain; charset=utf-8", "inline"],
      ["paper.pdf", "application/pdf", "application/pdf", "inline"],
      ["film.mp4", "", "video/mp4", "inline"],
      ["film.webm", "video/webm", "video/webm", "inline"],
      ["sound.webm", "audio/webm", "audio/webm", "inline"],
      ["sound.weba", "", "audio/webm", "inline"],
      ["sound.m4a", "audio/x-m4a", "audio/mp4", "inline"],
      ["sound.mp3", "application/octet-stream", "audio/mpeg", "inline"],
      ["photo.PNG", "text/html", "image/png", "inline"],
      ["!!!.png", "", "image/png", "inline"],
    ] as const) {
      const { url } = await upload(mia, name, page, type);
      const { headers } = await read(mia.client, url);
      expect(headers.get("content-type")).toBe(told);
      expect(headers.get("content-disposition")).toMatch(new RegExp(`^${disposition}; filename\\*=UTF-8''`));
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      // Chromium shows no PDF in a sandbox, and runs nothing of it in the page's origin.
      const policy =
        told === "application/pdf"
          ? /^default-src 'none';(?!.*(script|unsafe-eval))/
          : /^default-src 'none';.*; sandbox$/;
      expect(headers.get("content-security-policy")).toMatch(policy);
      expect(headers.get("cache-control")).toContain("private");
      const { headers: saved } = await read(mia.client, url.replace("/user_uploads/", "/user_uploads/download/"));
      expect(saved.get("content-disposition")).toMatch(/^attachment; /);
    }
  });

  it.each(["m4a", "weba", "mp3", "wav", "flac", "aac"])(
    "sound.%s, sent without a type, has a player",
    async (extension) => {
      const { url } = await upload(mia, `sound.${extension}`, "not really", "");
      const { rendered } = expectSuccess(await mia.client.post("/messages/render", { content: `![sound](${url})` }));
      expect(rendered).toBe(`<p><audio controls preload="metadata" src="${url}" title="sound"></audio></p>`);
    },
  );

  it("no path leads to another file of the server", async () => {
    for (const path of ["1/../../owner.zuliprc", "1/..%2f..%2fowner.zuliprc", "..%2fowner.zuliprc", "1/x%00", "1/%ff"])
      expect((await read(mia.client, `/user_uploads/${path}`)).status).toBe(404);
    expect((await read(mia.client, `/user_uploads/thumbnail/1/x/y.png/100x100.webp`)).status).toBe(404);
  });
});

describe("attachments", () => {
  it("GET /attachments lists the caller's files, the newest first, with the messages that link to them", async () => {
    const first = await upload(max, "first.txt");
    const second = await upload(max, "second.txt", "12345");
    const id = await send(max, { type: "direct", to: [mia.id] }, `[one](${first.url})`);
    const body = expectSuccess(await max.client.get("/attachments"));
    const attachments = body["attachments"] as Attachment[];
    expect(attachments.map((one) => one.path_id)).toEqual([second.url, first.url].map((url) => url.slice(14)));
    expect(attachments[0]).toMatchObject({ name: "second.txt", size: 5, messages: [] });
    expect(attachments[1]!.messages).toEqual([{ id, date_sent: expect.any(Number) }]);
    for (const { path_id } of attachments) expect(path_id.split("/")).toHaveLength(4);
    expect(attachments[1]!.message_ids).toEqual([id]);
    expect(attachments[1]!.create_time).toBeLessThan(100_000_000_000);
    expect(attachments[1]!.messages[0]!.date_sent).toBeGreaterThan(1_600_000_000);
    expect(attachments[1]!.create_time).toBeGreaterThan(1_600_000_000);
    const everybodys = [...(await list(mia)), ...attachments].reduce((sum, one) => sum + one.size, 0);
    expect(body["upload_space_used"]).toBe(everybodys);
  });

  it("DELETE /attachments/{id} removes the file and its bytes, the owner's only", async () => {
    const { url } = await upload();
    const id = (await list()).find((one) => `/user_uploads/${one.path_id}` === url)!.id;
    const folder = join(server.server.app.config.dataDir, "files", "uploads", url.split("/")[2]!);
    expect(await readdir(folder)).toContain(url.split("/")[4]);
    const absent = expectError(await max.client.delete("/attachments/999999999"), 400, "BAD_REQUEST");
    expect(expectError(await max.client.delete(`/attachments/${id}`), 400)).toEqual(absent);
    expectSuccess(await mia.client.delete(`/attachments/${id}`));
    expect((await read(mia.client, url)).status).toBe(404);
    expect(await readdir(folder)).not.toContain(url.split("/")[4]);
    expectError(await mia.client.delete(`/attachments/${id}`), 400, "BAD_REQUEST");
  });
});

describe("attachment", () => {
  it("add, update and remove reach the owner's queues and no one else's", async () => {
    const observers = [mia.client, max.client];
    let url = "";
    const added = await assertConverges({ observers, act: async () => void ({ url } = await upload()) });
    const attachment = (await list())[0]!;
    expect(added.eventsOf(mia.client)).toMatchObject([
      { type: "attachment", op: "add", attachment, upload_space_used: expect.any(Number) },
    ]);
    expect(added.eventsOf(max.client)).toEqual([]);
    const queues = await Promise.all(
      [mia, max].map(({ client }) => client.register({ event_types: ["attachment"], fetch_event_types: [] })),
    );
    const messageId = await send(mia, toMax(), `[cups](${url})`);
    expect(await mia.drain(cursorOf(queues[0]!))).toMatchObject([
      { op: "update", attachment: { id: attachment.id, messages: [{ id: messageId }] } },
    ]);
    expect(await max.drain(cursorOf(queues[1]!))).toEqual([]);
    const act = () => mia.client.delete(`/attachments/${attachment.id}`);
    const removed = await assertConverges({ observers, act });
    expect(removed.eventsOf(mia.client)).toMatchObject([{ op: "remove", attachment: { id: attachment.id } }]);
    expect(removed.eventsOf(max.client)).toEqual([]);
  });
});

describe("what is gone and what is for bots", () => {
  it("/users/me/pointer is 404 in JSON", async () => {
    for (const answer of [await mia.client.get("/users/me/pointer"), await mia.client.post("/users/me/pointer")])
      expectError(answer, 404);
  });

  it("/bot_storage is for bots only", async () => {
    expectError(await mia.client.put("/bot_storage", { storage: { a: "1" } }), 400, "BAD_REQUEST");
    expectError(await mia.client.get("/bot_storage"), 400, "BAD_REQUEST");
    expectError(await mia.client.delete("/bot_storage"), 400, "BAD_REQUEST");
  });

  it("a bot sets, reads and removes texts by key, all or those named", async () => {
    const rows = await server.database.sql<
      { id: number; delivery_email: string }[]
    >`select id, delivery_email from users where is_bot order by id limit 1`;
    const { id, delivery_email: email } = rows[0]!;
    const bot = new ApiClient({ url: server.url, email, apiKey: await server.apiKeyOf(id) });
    const stored = async (params = {}) => expectSuccess(await bot.get("/bot_storage", params))["storage"];
    expectSuccess(await bot.put("/bot_storage", { storage: { a: "1", b: "2", __proto__x: "3" } }));
    expectSuccess(await bot.put("/bot_storage", { storage: { b: "22" } }));
    expect(await stored()).toEqual({ a: "1", b: "22", __proto__x: "3" });
    expect(await stored({ keys: ["a"] })).toEqual({ a: "1" });
    expectError(await bot.get("/bot_storage", { keys: ["a", "toString"] }), 400, "BAD_REQUEST");
    expectError(await bot.delete("/bot_storage", { keys: ["a", "missing"] }), 400, "BAD_REQUEST");
    for (const storage of [{ a: 1 }, [], "x", null, { a: null }])
      expectError(await bot.put("/bot_storage", { storage }), 400);
    expectSuccess(await bot.delete("/bot_storage", { keys: ["a"] }));
    expect(await stored()).toEqual({ b: "22", __proto__x: "3" });
    const large = "x".repeat(3_500_000);
    expectSuccess(await bot.put("/bot_storage", { storage: { one: large } }));
    expectSuccess(await bot.put("/bot_storage", { storage: { two: large } }));
    expectError(await bot.put("/bot_storage", { storage: { three: large } }), 400, "BAD_REQUEST");
    expectSuccess(await bot.delete("/bot_storage"));
    expect(await stored()).toEqual({});
  });
});

async function setUp(): Promise<void> {
  anybody = new ApiClient({ url: server.url });
  hidden = await server.addChannel("hidden", [owner, mia, gwen], { invite_only: true });
}

interface Attachment {
  id: number;
  name: string;
  path_id: string;
  size: number;
  create_time: number;
  messages: { id: number; date_sent: number }[];
  message_ids: number[];
}
let anybody: ApiClient;
let hidden: number;

/** What the test client, which reads text, cannot show. */
const readBytes = async (person: Person, url: string) => {
  const authorization = `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
  const response = await fetch(server.url + url, { headers: { authorization } });
  return Buffer.from(await response.arrayBuffer());
};
const text = "Bring your own cup.";
const upload = async (person = mia, filename = "cups.txt", content: string | Buffer = text, type = "text/plain") => {
  const bytes = new Uint8Array(Buffer.from(content));
  const files = { "/any/name": { filename, content: bytes, type } };
  return expectSuccess(await person.client.post("/user_uploads", {}, { files })) as {
    url: string;
    uri: string;
    filename: string;
  };
};
const read = (client: ApiClient, url: string, params = {}) => client.get(url, params, { root: true });
const list = async (person = mia) =>
  expectSuccess(await person.client.get("/attachments"))["attachments"] as Attachment[];
const send = async (person: Person, to: Record<string, unknown>, content: string) =>
  expectSuccess(await person.client.post("/messages", { ...to, content }))["id"] as number;
const toMax = () => ({ type: "direct", to: [max.id] });
