import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MOBILE, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const { owner } = server;
const [adam, mia, max, gwen] = server.people(["Adam Admin", 200], "Mia Member", "Max Member", ["Gwen Guest", 600]);

describe("and 10, custom emoji", () => {
  it("POST adds one that everybody reads by its id", async () => {
    expectSuccess(await post("teacup"));
    const [emoji] = await find("teacup");
    expect(emoji).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: "teacup",
      source_url: expect.stringMatching(/^\/user_avatars\//),
      still_url: null,
      deactivated: false,
      author_id: mia.id,
    });
    expect((await list(gwen))[emoji!.id]).toEqual(emoji);
  });

  it("its picture is there for anybody, cacheable, of a type that no browser runs", async () => {
    expectSuccess(await post("own_picture"));
    const [{ source_url }] = (await find("own_picture")) as [Emoji];
    const { response, body } = await bytes(source_url);
    expect(response.status).toBe(200);
    expect(await sharp(body).metadata()).toMatchObject({ format: "png", width: 64, height: 64 });
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-security-policy")).toContain("sandbox");
    expect(response.headers.get("cache-control")).toContain("immutable");
  });

  it("one that moves has a still beside it", async () => {
    expectSuccess(await post("dance", mia, { f: file(movingGif, "dance.gif") }));
    expectSuccess(await post("pose", mia, { f: file(stillGif, "pose.gif") }));
    const [[dance], [pose]] = (await Promise.all([find("dance"), find("pose")])) as [[Emoji], [Emoji]];
    expect(pose.still_url).toBeNull();
    const moving = await sharp((await bytes(dance.source_url)).body, { animated: true }).metadata();
    expect(moving).toMatchObject({ format: "gif", pages: 2, width: 64, pageHeight: 64 });
    expect(await sharp((await bytes(dance.still_url!)).body).metadata()).toMatchObject({ format: "gif", width: 64 });
    expect((await sharp((await bytes(dance.still_url!)).body).metadata()).pages ?? 1).toBe(1);
  });

  it("names are lower-case letters, digits, dashes and underscores", async () => {
    for (const name of ["ok_1-2", "0"]) expectSuccess(await post(name));
    for (const name of ["Cup", "cup!", "cup:", "ends_", "tässchen", "a".repeat(61), "<b>", "a/b"])
      expectError(await post(name), 400, "BAD_REQUEST");
  });

  it("a name in use is refused, and free again once its emoji is deactivated", async () => {
    expectSuccess(await post("mug"));
    expectError(await post("mug", adam), 400, "BAD_REQUEST");
    expectSuccess(await remove("mug"));
    expectSuccess(await post("mug", adam));
    expect((await find("mug")).map((one) => one.deactivated).sort()).toEqual([false, true]);
  });

  it("only administrators override a built-in name", async () => {
    expectError(await post("coffee"), 400, "BAD_REQUEST");
    expectSuccess(await post("coffee", adam));
  });

  it("takes exactly one file, a picture of at most 5 MiB", async () => {
    expectError(await mia.client.post("/realm/emoji/none"), 400, "BAD_REQUEST");
    expectError(await post("two", mia, { a: file(), b: file() }), 400, "BAD_REQUEST");
    const script = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>");
    expectError(await post("script", mia, { f: file(script) }), 400, "BAD_IMAGE");
    expectError(await post("empty", mia, { f: file(Buffer.alloc(0)) }), 400, "BAD_IMAGE");
    expectError(await post("broken", mia, { f: file(movingGif.subarray(0, 30), "x.gif") }), 400, "BAD_IMAGE");
    const large = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]);
    expectError(await post("large", mia, { f: file(large) }), 400, "BAD_REQUEST");
    for (const name of ["none", "two", "script", "empty", "broken", "large"]) expect(await find(name)).toEqual([]);
  });

  it("can_add_custom_emoji_group decides who adds", async () => {
    expectError(await post("guest", gwen), 400, "UNAUTHORIZED_PRINCIPAL");
    const anonymous = { direct_members: [max.id], direct_subgroups: [] };
    const before = (await owner.client.register({ fetch_event_types: ["realm"], event_types: [] }))[
      "realm_can_add_custom_emoji_group"
    ];
    await owner.setRealm({ can_add_custom_emoji_group: { new: anonymous } });
    expectError(await post("member", mia), 400, "BAD_REQUEST");
    expectError(await post("admin", adam), 400, "BAD_REQUEST");
    expectSuccess(await post("chosen", max));
    await owner.setRealm({ can_add_custom_emoji_group: { new: before } });
  });

  it("administrators and whoever added it deactivate it", async () => {
    expectSuccess(await post("my_own"));
    expectSuccess(await post("ours"));
    expectError(await remove("my_own", max), 400, "BAD_REQUEST");
    expectError(await remove("my_own", gwen), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await remove("my_own", mia));
    expectSuccess(await remove("ours", adam));
    expectError(await remove("ours", adam), 404, "BAD_REQUEST");
    expectError(await remove("never", adam), 404, "BAD_REQUEST");
  });

  it("no path leads to another file", async () => {
    const anybody = new ApiClient({ url: server.url });
    for (const name of ["..%2f..%2fowner.zuliprc", "owner.zuliprc", "%2e%2e", `${"0".repeat(24)}.png`]) {
      const answer = await anybody.get(`/user_avatars/1/emoji/images/${name}`, {}, { root: true });
      expect(answer.status).toBe(404);
    }
  });
});

describe("realm_emoji", () => {
  it("individual_emoji_changes gets the one change, everybody else the whole map", async () => {
    const observers = [owner.client, gwen.client];
    const added = await assertConverges({ observers, act: async () => void expectSuccess(await post("saucer")) });
    const [saucer] = (await find("saucer")) as [Emoji];
    for (const person of [owner, gwen]) {
      for (const profile of [MOBILE, MODERN])
        expect(added.eventsOf(person.client, profile)).toMatchObject([
          { type: "realm_emoji", op: "add", emoji: saucer },
        ]);
      expect(added.eventsOf(person.client, LEGACY)).toMatchObject([
        { type: "realm_emoji", op: "update", realm_emoji: { [saucer.id]: saucer } },
      ]);
    }
    const removed = await assertConverges({ observers, act: async () => void expectSuccess(await remove("saucer")) });
    expect(removed.eventsOf(gwen.client, MODERN)).toMatchObject([
      { op: "update_one", emoji_id: saucer.id, data: { deactivated: true } },
    ]);
    expect(removed.eventsOf(gwen.client, LEGACY)).toMatchObject([
      { op: "update", realm_emoji: { [saucer.id]: { deactivated: true } } },
    ]);
  });
});

interface Emoji {
  id: string;
  name: string;
  source_url: string;
  still_url: string | null;
  deactivated: boolean;
  author_id: number;
}

/** One grey pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  "base64",
);
const gifHead = Buffer.from("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff", "latin1");
const gifFrame = Buffer.from(
  "\x21\xf9\x04\x00\x0a\x00\x00\x00\x2c\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02\x44\x01\x00",
  "latin1",
);
const gifEnd = Buffer.from([0x3b]);
/** The other colour. */
const gifOther = Buffer.from(gifFrame.map((byte, index) => (index === gifFrame.length - 3 ? 0x4c : byte)));
const stillGif = Buffer.concat([gifHead, gifFrame, gifEnd]);
const movingGif = Buffer.concat([gifHead, gifFrame, gifOther, gifEnd]);

const file = (content: Buffer = png, filename = "cup.png") => ({
  filename,
  content: new Uint8Array(content),
  type: "image/png",
});
const post = (name: string, person = mia, files: Record<string, ReturnType<typeof file>> = { f: file() }) =>
  person.client.post(`/realm/emoji/${encodeURIComponent(name)}`, {}, { files });
const remove = (name: string, person = mia) => person.client.delete(`/realm/emoji/${name}`);
const list = async (person = mia) =>
  expectSuccess(await person.client.get("/realm/emoji"))["emoji"] as Record<string, Emoji>;
const find = async (name: string) => Object.values(await list()).filter((one) => one.name === name);
const bytes = async (path: string) => {
  const response = await fetch(server.url + path);
  return { response, body: Buffer.from(await response.arrayBuffer()) };
};
