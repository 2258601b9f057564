/** Reading uploaded files: the headers that programs and browsers fetch large files with. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
beforeAll(setUp);

describe("GET /user_uploads", () => {
  it("answers all of the file, and says that ranges are understood", async () => {
    const response = await read();
    expect(response.status).toBe(200);
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect((await bytesOf(response)).equals(content)).toBe(true);
  });

  it.each([
    ["bytes=0-0", 0, 0],
    ["bytes=100000-200000", 100_000, 200_000],
    ["bytes=299999-", 299_999, 299_999],
    ["bytes=-10", 299_990, 299_999],
    ["bytes=10-999999999", 10, 299_999],
  ])("answers the part %s", async (range, first, last) => {
    const response = await read({ range });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes ${first}-${last}/300000`);
    expect((await bytesOf(response)).equals(content.subarray(first, last + 1))).toBe(true);
  });

  it.each(["bytes=300000-", "bytes=-0"])("refuses the part %s, which is not there", async (range) => {
    const response = await read({ range });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */300000"]);
  });

  it.each(["bytes=5-2", "bytes=-", "bytes=0-1,5-6", "lines=1-2", "bytes=a-b"])(
    "answers all of it for %s",
    async (range) => {
      const response = await read({ range });
      expect([response.status, (await bytesOf(response)).length]).toEqual([200, 300_000]);
    },
  );

  it("answers 304 to a client that has it", async () => {
    const tag = (await read({}, "HEAD")).headers.get("etag")!;
    for (const given of [tag, `W/${tag}`, `"other", ${tag}`])
      expect((await read({ "if-none-match": given })).status).toBe(304);
    expect((await read({ "if-none-match": '"other"' })).status).toBe(200);
  });

  it("answers HEAD with the size and no bytes", async () => {
    const response = await read({}, "HEAD");
    expect([response.status, response.headers.get("content-length")]).toEqual([200, "300000"]);
    expect((await bytesOf(response)).length).toBe(0);
  });
});

async function setUp(): Promise<void> {
  const files = { file: { filename: "numbers.bin", content: new Uint8Array(content), type: "video/mp4" } };
  url = expectSuccess(await server.owner.client.post("/user_uploads", {}, { files }))["url"] as string;
}

let url: string;
const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

const read = (headers: Record<string, string> = {}, method = "GET") => {
  const { email, apiKey } = server.owner;
  const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
  return fetch(server.url + url, { method, headers: { authorization, ...headers } });
};
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
