/** What uploads may take: bytes in memory while they come, and bytes stored. */
import { readdir } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BodyBudget } from "../../../http/server/body-budget.ts";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({
  environment: { PARLEY_ACCOUNT_UPLOAD_QUOTA_MIB: "2", PARLEY_REALM_UPLOAD_QUOTA_MIB: "3" },
  nodeCount: 1,
});
const [mia, max] = server.people("Mia Member", "Max Member");

describe("quotas", () => {
  it("an account stores no more than its own, and a file that was deleted counts no more", async () => {
    expectSuccess(await upload(mia, 1.5 * mebibyte));
    const refused = expectError(await upload(mia, mebibyte), 400, "ACCOUNT_UPLOAD_QUOTA");
    expect(refused["msg"]).toMatch(/2 of 2 MiB/);
    expect(await stored()).toBe(1);
    const { attachments } = expectSuccess(await mia.client.get("/attachments")) as { attachments: { id: number }[] };
    expectSuccess(await mia.client.delete(`/attachments/${attachments[0]!.id}`));
    expectSuccess(await upload(mia, mebibyte));
  });

  it("uploads at the same time do not pass it together", async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => upload(max, 0.9 * mebibyte)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(await stored()).toBe(3);
  });

  it("an organization stores no more than its own, and register says how much that is", async () => {
    const state = expectSuccess(await mia.client.post("/register", { fetch_event_types: ["realm"] }));
    expect(state["realm_upload_quota_mib"]).toBe(3);
    expectError(await upload(server.owner, mebibyte), 400, "REALM_UPLOAD_QUOTA");
    const used = expectSuccess(await mia.client.get("/attachments"))["upload_space_used"] as number;
    expect(used).toBeLessThanOrEqual(3 * mebibyte);
  });
});

const held: Socket[] = [];
afterEach(() => {
  for (const socket of held.splice(0)) socket.destroy();
});

describe("bodies in memory", () => {
  /**
   * Sends the beginning of a body, and no more. Without an account: what is kept before anybody is known counts as
   * well.
   */
  async function begin(bytes: number, path = "/api/v1/fetch_api_key"): Promise<Socket> {
    const before = bodies().bytes;
    const socket = connect(server.server.port, "127.0.0.1");
    socket.on("error", () => {});
    held.push(socket);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${bytes + 1}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(bytes, "a"));
    await until("the bytes are there", () => bodies().bytes >= before + bytes);
    return socket;
  }

  it("one address has no more than its part, and is told so", async () => {
    server.server.app.bodies = new BodyBudget({ total: 100 * mebibyte, perCaller: 3 * mebibyte });
    await begin(2 * mebibyte);
    const reply = await render(2 * mebibyte);
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(expectError(reply, 429, "RATE_LIMIT_HIT")["msg"]).toMatch(/at most 3 MiB/);
    // Small requests go on.
    expectSuccess(await mia.client.post("/messages/render", { content: "hello" }));
  });

  it("all together have no more than fits, and it is all given back", async () => {
    server.server.app.bodies = new BodyBudget({ total: 5 * mebibyte, perCaller: 100 * mebibyte });
    const first = await begin(2 * mebibyte);
    await begin(2 * mebibyte);
    const reply = await render(2 * mebibyte);
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(expectError(reply, 503, "SERVICE_UNAVAILABLE")["msg"]).toMatch(/at most 5 MiB/);
    first.write("b"); // It is whole now, and refused for what it says.
    for (const socket of held.splice(1)) socket.destroy();
    await until("all is given back", () => bodies().bytes === 0);
    expectError(await upload(mia, 2 * mebibyte), 400, "ACCOUNT_UPLOAD_QUOTA");
    expect(bodies().bytes).toBe(0);
  });

  it("each large one has a turn of the event loop to be read in", async () => {
    server.server.app.bodies = new BodyBudget({ total: 100 * mebibyte, perCaller: 100 * mebibyte });
    const turns = vi.spyOn(server.server.app.largeBodies, "next");
    for (const reply of await Promise.all([render(mebibyte), render(mebibyte), render(1000)])) expectSuccess(reply);
    expect(turns).toHaveBeenCalledTimes(2);
    turns.mockRestore();
  });

  it("an account has no more than its part, wherever it writes from", () => {
    const budget = new BodyBudget({ total: 100 * mebibyte, perCaller: 3 * mebibyte });
    const shares = ["10.0.0.1", "10.0.0.2"].map((address) => budget.open(() => address));
    for (const share of shares) share.take(2 * mebibyte);
    shares[0]!.claim(7);
    expect(() => shares[1]!.claim(7)).toThrow(/at most 3 MiB/);
    for (const share of shares) share.release();
    for (const share of shares) share.release();
    expect(budget.bytes).toBe(0);
    const next = budget.open(() => "10.0.0.1");
    next.take(3 * mebibyte);
    next.claim(7);
    expect(() => next.take(1)).toThrow(/at most 3 MiB/);
  });
});

const mebibyte = 1024 * 1024;
const bodies = () => server.server.app.bodies;
const render = (length: number) => mia.client.post("/messages/render", { content: "x".repeat(length) });

const upload = (person: Person, bytes: number) => {
  const files = { file: { filename: "a.bin", content: new Uint8Array(bytes), type: "application/octet-stream" } };
  return person.client.post("/user_uploads", {}, { files });
};
const stored = async () =>
  (await readdir(join(server.server.app.config.dataDir, "files/uploads/1")).catch(() => [])).length;
