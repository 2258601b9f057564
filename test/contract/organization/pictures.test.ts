/** The organization's icon and logos. */
import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [adam, mia, gus] = server.people(["Adam Admin", 200], "Mia Member", ["Gus Guest", 600]);

it("the icon is told to who is not logged in, and of the pictures nothing else is to be had", async () => {
  const file = { filename: "x.png", content: new Uint8Array(png), type: "image/png" };
  const { icon_url } = expectSuccess(await owner.client.post("/realm/icon", {}, { files: { file } }));
  const anybody = new ApiClient({ url: server.urls });
  expect(expectSuccess(await anybody.get("/server_settings"))["realm_icon"]).toBe(icon_url);
  for (const path of ["/user_avatars/1/realm/..%2f..%2fowner.zuliprc", "/user_avatars/2/realm/x.png"])
    expect((await fetch(server.url + path)).status).toBe(404);
  expect(expectSuccess(await owner.client.delete("/realm/icon"))["icon_url"]).toBe("/static/icon.svg");
});

interface Picture {
  name: string;
  path: string;
  /** Of the parameter that tells the logos apart. */
  params: JsonObject;
  source: string;
}
const pictures: Picture[] = [
  { name: "icon", path: "/realm/icon", params: {}, source: "G" },
  { name: "logo", path: "/realm/logo", params: { night: false }, source: "D" },
  { name: "night_logo", path: "/realm/logo", params: { night: true }, source: "D" },
];

describe.each(pictures)("$name", ({ name, path, params, source }) => {
  it("is uploaded by an administrator, told to everybody, read by anybody, and taken back", async () => {
    const before = await shown();
    expect(before).toEqual(["/static/icon.svg", source]);
    const { observations } = await assertConverges({
      observers: [mia.client, gus.client],
      profiles: [LEGACY, MODERN],
      act: async () => expectSuccess(await upload(png)),
    });
    const [url, by] = await shown();
    expect(by).toBe("U");
    expect(observations[0]!.events).toMatchObject([
      { type: "realm", op: "update_dict", property: name, data: { [`${name}_url`]: url, [`${name}_source`]: "U" } },
    ]);
    expect(await redirect()).toBe(url);
    const answer = await fetch(server.url + url);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    // Another one has another address, and the first is gone.
    expectSuccess(await upload(png, owner));
    const [next] = await shown();
    expect(next).not.toBe(url);
    expect((await fetch(server.url + url)).status).toBe(404);
    await assertConverges({
      observers: [mia.client],
      profiles: [LEGACY, MODERN],
      act: async () => expectSuccess(await adam.client.delete(path, params)),
    });
    expect(await shown()).toEqual(before);
    expect(await redirect()).toBe("/static/icon.svg");
    expect((await fetch(server.url + next)).status).toBe(404);
  });

  it("is refused where it is no picture, too large, not one, or not from an administrator", async () => {
    expectError(await upload(Buffer.from("<svg onload='x'/>")), 400, "BAD_IMAGE");
    expectError(await upload(Buffer.from("GIF89a and nothing that follows")), 400, "BAD_IMAGE");
    expectError(await upload(Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)])), 400, "BAD_REQUEST");
    expectError(await upload(png, adam, 2), 400, "BAD_REQUEST");
    expectError(await adam.client.post(path, params), 400, "BAD_REQUEST");
    for (const person of [mia, gus]) {
      expectError(await upload(png, person), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await person.client.delete(path, params), 400, "UNAUTHORIZED_PRINCIPAL");
    }
    expect(await shown()).toEqual(["/static/icon.svg", source]);
  });

  const upload = (content: Buffer, person = adam, count = 1) => {
    const file = { filename: "x.png", content: new Uint8Array(content), type: "image/png" };
    const files = Object.fromEntries(Array.from({ length: count }, (_, index) => [`file${index}`, file]));
    return person.client.post(path, params, { files });
  };
  const shown = async (person = mia) => {
    const state = await person.client.register({ event_types: ["realm"] });
    return [state[`realm_${name}_url`], state[`realm_${name}_source`]] as [string, string];
  };
  const redirect = async () => {
    const query = new URLSearchParams(Object.entries(params).map(([key, value]) => [key, String(value)]));
    return (await fetch(`${server.url}/api/v1${path}?${query}`, { redirect: "manual" })).headers.get("location");
  };
});

/** One grey pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  "base64",
);
