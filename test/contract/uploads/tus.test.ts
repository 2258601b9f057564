/** Resumable uploads (tus), as Zulip's clients ask for them. https://tus.io/protocols/resumable-upload */
import { readdir, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expiredUploadsJob } from "../../../actors/uploads/unfinished-uploads.ts";
import { expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({
  environment: { PARLEY_ACCOUNT_UPLOAD_QUOTA_MIB: "4", PARLEY_MAX_UPLOAD_MIB: "3" },
  alsoOn: ["two nodes", "native build"],
});
const [mia, max, ivy] = server.people("Mia Member", "Max Member", "Ivy Member");

describe("a resumable upload", () => {
  it("comes in parts, and is a file like any other when the last one is there", async () => {
    const { location, reply } = await begin(mia, 11, "cups.txt", "text/plain");
    expect([reply.status, reply.headers.get("upload-offset")]).toEqual([201, "0"]);
    expect(Date.parse(reply.headers.get("upload-expires")!)).toBeGreaterThan(Date.now());
    const first = await part(mia, location, 0, "hello ");
    expect([first.status, first.headers.get("upload-offset")]).toEqual([204, "6"]);
    const head = await ask(mia, "HEAD", location);
    expect([head.status, head.headers.get("upload-offset"), head.headers.get("upload-length")]).toEqual([
      200,
      "6",
      "11",
    ]);
    expect(head.headers.get("cache-control")).toBe("no-store");
    expect(head.headers.get("upload-metadata")).toBe(reply.sent);
    const last = await part(mia, location, 6, "world");
    expect(last.status).toBe(200);
    const { url, filename } = (await last.json()) as { url: string; filename: string };
    expect(filename).toBe("cups.txt");
    const read = await fetch(server.url + url, { headers: { authorization: basic(mia) } });
    expect([read.headers.get("content-type"), await read.text()]).toEqual(["text/plain; charset=utf-8", "hello world"]);
    const { attachments } = expectSuccess(await mia.client.get("/attachments"));
    expect(attachments).toMatchObject([{ name: "cups.txt", size: 11, path_id: url.replace("/user_uploads/", "") }]);
  });

  it("may come with the request that begins it, and be empty", async () => {
    const whole = await create(mia, { "upload-length": "5", ...named("a.bin"), "content-type": partType }, "12345");
    expect([whole.status, await whole.json()]).toMatchObject([200, { filename: "a.bin" }]);
    expect(whole.headers.get("location")).toMatch(/^\/api\/v1\/tus\/[\w-]{20,}$/);
    const some = await create(mia, { "upload-length": "5", "content-type": partType }, "12");
    expect([some.status, some.headers.get("upload-offset")]).toEqual([201, "2"]);
    const empty = await create(mia, { "upload-length": "0", ...named("nothing.txt") });
    expect([empty.status, await empty.json()]).toMatchObject([200, { filename: "nothing.txt" }]);
  });

  it("whose last answer was lost is answered once more, and is one file", async () => {
    const { location } = await begin(max, 3, "lost.txt");
    const answers = [await part(max, location, 0, "abc"), await part(max, location, 3, "")];
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(bodies[1]).toEqual(bodies[0]);
    expect((await ask(max, "HEAD", location)).headers.get("upload-offset")).toBe("3");
    const { attachments } = expectSuccess(await max.client.get("/attachments"));
    expect(attachments).toHaveLength(1);
  });

  it("keeps what has come when its client comes again, also if the one before is still being heard", async () => {
    const size = mebibyte();
    const { location } = await begin(ivy, size);
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      `PATCH ${location} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic(ivy)}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: ${partType}\r\nContent-Length: ${size}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(size / 2, "a"));
    const file = join(folder(), location.split("/").at(-1)!);
    await until("some is on the disk", async () => ((await stat(file).catch(() => undefined))?.size ?? 0) > 0);
    const come = Number((await ask(ivy, "HEAD", location)).headers.get("upload-offset"));
    expect(come).toBeGreaterThan(0);
    const answer = await part(ivy, location, come, Buffer.alloc(size - come, "b"));
    expect(answer.status).toBe(200);
    const { url } = (await answer.json()) as { url: string };
    const text = await (await fetch(server.url + url, { headers: { authorization: basic(ivy) } })).text();
    expect([text.length, text.replace(/^a+b*$/, "")]).toEqual([size, ""]);
    socket.destroy();
  });

  it("is given up on request, until it is a file", async () => {
    const { location } = await begin(mia, 10);
    await part(mia, location, 0, "12345");
    expect((await ask(mia, "DELETE", location)).status).toBe(204);
    expect((await ask(mia, "HEAD", location)).status).toBe(404);
    const finished = await create(mia, { "upload-length": "1", "content-type": partType }, "1");
    const { url } = (await finished.json()) as { url: string };
    const refusal = await ask(mia, "DELETE", finished.headers.get("location")!);
    expect([refusal.status, await refusal.json()]).toMatchObject([403, { message: /cannot be given up/ }]);
    expect((await fetch(server.url + url, { headers: { authorization: basic(mia) } })).status).toBe(200);
  });

  it("that nobody goes on with is removed, with its bytes", async () => {
    const { location } = await begin(mia, 10);
    await part(mia, location, 0, "12345");
    const id = location.split("/").at(-1)!;
    expect(await incoming()).toContain(id);
    const [realm] = await server.realms();
    await server.database.sql`update unfinished_uploads set expires_at = 1 where id = ${id}`;
    expect((await ask(mia, "HEAD", location)).status).toBe(404);
    expect((await part(mia, location, 5, "67890")).status).toBe(404);
    expect(await expiredUploadsJob.findWaiting!(server.database.sql, 2)).toEqual([1]);
    await runExpired(realm!, 2);
    expect(await incoming()).not.toContain(id);
  });
});

describe("refusals, of which none is 400 and each has a message", () => {
  it.each([
    ["no length", { "upload-defer-length": "1" }, 411],
    ["more than one upload may have", { "upload-length": String(3 * mebibyte() + 1) }, 413],
    ["metadata that are none", { "upload-length": "1", "upload-metadata": "a".repeat(5000) }, 422],
    ["another version", { "upload-length": "1", "tus-resumable": "0.2.2" }, 412],
  ])("%s", async (_what, headers, status) => {
    const reply = await create(mia, headers);
    expect([reply.status, await reply.json()]).toMatchObject([status, { message: /./ }]);
  });

  it("more than the quota has room for, counting what is under way", async () => {
    const size = String(1.5 * mebibyte());
    expect((await create(server.owner, { "upload-length": size })).status).toBe(201);
    expect((await create(server.owner, { "upload-length": size })).status).toBe(201);
    const reply = await create(server.owner, { "upload-length": size });
    expect([reply.status, await reply.json()]).toMatchObject([413, { code: "ACCOUNT_UPLOAD_QUOTA", message: /MiB/ }]);
  });

  it("nobody, and somebody else", async () => {
    const { location } = await begin(mia, 1);
    const anybody = await fetch(`${server.url}/api/v1/tus/`, { method: "POST", headers: { "upload-length": "1" } });
    expect(anybody.status).toBe(401);
    for (const method of ["HEAD", "DELETE"]) expect((await ask(max, method, location)).status).toBe(404);
    expect((await part(max, location, 0, "1")).status).toBe(404);
  });

  it("a part that does not follow, is too long, or has another type", async () => {
    const { location } = await begin(mia, 4);
    await part(mia, location, 0, "12");
    expect((await part(mia, location, 1, "2")).status).toBe(409);
    expect((await part(mia, location, 3, "4")).status).toBe(409);
    expect((await part(mia, location, 2, "345")).status).toBe(413);
    const headers = { "upload-offset": "2", "content-type": "application/json" };
    expect((await ask(mia, "PATCH", location, headers, "34")).status).toBe(415);
    expect((await ask(mia, "HEAD", location)).headers.get("upload-offset")).toBe("2");
  });

  it("tells what it can, also to pages of other sites", async () => {
    const reply = await fetch(`${server.url}/api/v1/tus/`, { method: "OPTIONS" });
    expect(reply.status).toBe(204);
    expect(reply.headers.get("tus-version")).toBe("1.0.0");
    expect(reply.headers.get("tus-extension")).toBe("creation,creation-with-upload,expiration,termination");
    expect(reply.headers.get("access-control-allow-headers")).toContain("upload-length");
  });
});

it("register says how large one may be", async () => {
  const state = expectSuccess(await mia.client.post("/register", { fetch_event_types: ["realm"] }));
  expect(state["max_file_upload_size_mib"]).toBe(3);
});

const runExpired = ownJob(expiredUploadsJob);
const partType = "application/offset+octet-stream";
function mebibyte(): number {
  return 1024 * 1024;
}
const basic = ({ email, apiKey }: Person) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
const base64 = (text: string) => Buffer.from(text).toString("base64");
const named = (name: string, type?: string) => ({
  "upload-metadata": `filename ${base64(name)}${type === undefined ? "" : `,filetype ${base64(type)}`}`,
});
const ask = (
  person: Person,
  method: string,
  location: string,
  headers: Record<string, string> = {},
  body: string | Buffer<ArrayBuffer> | null = null,
) =>
  fetch(new URL(location, server.url), {
    method,
    headers: { authorization: basic(person), "tus-resumable": "1.0.0", ...headers },
    body,
  });
const create = (person: Person, headers: Record<string, string>, body?: string) =>
  ask(person, "POST", "/api/v1/tus/", headers, body);
const part = (person: Person, location: string, offset: number, body: string | Buffer<ArrayBuffer>) =>
  ask(person, "PATCH", location, { "upload-offset": String(offset), "content-type": partType }, body);
async function begin(person: Person, size: number, name = "a.bin", type?: string) {
  const metadata = named(name, type);
  const reply = await create(person, { "upload-length": String(size), ...metadata });
  return {
    location: reply.headers.get("location")!,
    reply: Object.assign(reply, { sent: metadata["upload-metadata"] }),
  };
}
const folder = () => join(server.nodes[0]!.app.config.dataDir, "files/incoming");
const incoming = () => readdir(folder());
