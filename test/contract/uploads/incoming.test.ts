/** Files while they come in: bytes in memory and on the disk, and what becomes of those that are not kept. */
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { BodyBudget } from "../../../http/server/body-budget.ts";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ environment: { PARLEY_ACCOUNT_UPLOAD_QUOTA_MIB: "92" }, nodeCount: 1 });
const [mia, max] = server.people("Mia Member", "Max Member");
const held: Socket[] = [];
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy();
});

describe("files that come in", () => {
  it("are on the disk as far as they have come, in little memory, and gone with their client", async () => {
    const socket = await begin(mia, 90 * mebibyte);
    const sent = 60 * mebibyte;
    let most = 0;
    for (let bytes = 0; bytes < sent; bytes += 64 * 1024) {
      if (!socket.write(Buffer.alloc(64 * 1024, "x"))) await once(socket, "drain");
      most = Math.max(most, bodies().bytes);
    }
    // All but what no boundary was looked for in yet.
    await until("it is on the disk", () => incoming().bytes > sent - 64 * 1024);
    expect(most).toBeLessThan(mebibyte);
    expect(await unfinished()).toHaveLength(1);
    socket.destroy();
    await until("it is gone", async () => (await unfinished()).length === 0);
    await until("all is given back", () => bodies().bytes + incoming().bytes === 0);
  });

  it("are refused before they come, when their length says that they will not be kept", async () => {
    const answer = async (bytes: number) => {
      const [text] = (await once(await begin(mia, bytes, ""), "data")) as [Buffer];
      return text.toString();
    };
    for (const mib of [100.5, 200])
      expect(await answer(mib * mebibyte)).toMatch(/^HTTP\/1.1 400 .*larger than the allowed limit of 100 MiB/s);
    expect(await answer(95 * mebibyte)).toMatch(/^HTTP\/1.1 400 .*ACCOUNT_UPLOAD_QUOTA/s);
  });

  it("leave nothing when the form is cut off, has a second file, or is no form", async () => {
    for (const rest of ["", "\r\n--b", `\r\n--b\r\n${fileHead}second\r\n--b--\r\n`]) {
      const body = `--b\r\n${fileHead}first${rest}`;
      const headers = { authorization: basic(mia), "content-type": "multipart/form-data; boundary=b" };
      const reply = await fetch(`${server.url}/api/v1/user_uploads`, { method: "POST", headers, body });
      expect(reply.status).toBe(400);
      expect([await stored(), await unfinished()]).toEqual([0, []]);
    }
  });

  it("of one account are so many bytes and no more", async () => {
    server.server.app.incoming = new BodyBudget({ total: 100 * mebibyte, perCaller: mebibyte });
    const socket = await begin(mia, 1.5 * mebibyte);
    socket.write(Buffer.alloc(0.9 * mebibyte, "x"));
    await until("it is on the disk", () => incoming().bytes > 0.8 * mebibyte);
    expect(expectError(await upload(mia, 0.5 * mebibyte), 429, "RATE_LIMIT_HIT")["msg"]).toMatch(/at most 1 MiB/);
    expectSuccess(await upload(max, 0.5 * mebibyte));
    expectSuccess(await upload(max, 0.5 * mebibyte));
  });

  /** Sends the head of a form, and of a file in it. */
  async function begin(person: Person, bytes: number, file = `--b\r\n${fileHead}`): Promise<Socket> {
    const socket = connect(server.server.port, "127.0.0.1");
    socket.on("error", () => {});
    held.push(socket);
    socket.write(
      `POST /api/v1/user_uploads HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic(person)}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${bytes}\r\n\r\n${file}`,
    );
    return socket;
  }
});

const mebibyte = 1024 * 1024;
const fileHead = 'Content-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n';
const basic = ({ email, apiKey }: Person) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
const bodies = () => server.server.app.bodies;
const incoming = () => server.server.app.incoming;
const upload = (person: Person, bytes: number) => {
  const files = { file: { filename: "a.bin", content: new Uint8Array(bytes), type: "application/octet-stream" } };
  return person.client.post("/user_uploads", {}, { files });
};
const filesFolder = () => join(server.server.app.config.dataDir, "files");
const unfinished = async () =>
  (await readdir(filesFolder(), { recursive: true }).catch(() => [])).filter((name) => name.endsWith(".part"));
const stored = async () => (await readdir(join(filesFolder(), "uploads/1")).catch(() => [])).length;
