import { describe, expect, it } from "vitest";
import { ApiError } from "../../actors/errors.ts";
import { parseMultipart, type UploadedFile } from "../../http/multipart.ts";
import { assertNoStall } from "../support/stall.ts";

const contentType = "multipart/form-data; boundary=b";
const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.txt"\r\n\r\n${value}\r\n`;

/** The fields and files of a body, or what a client is told of it. @throws whatever is no error for a client */
async function parse(body: string): Promise<{ fields: Map<string, string>; files: UploadedFile[] } | ApiError> {
  const fields = new Map<string, string>();
  try {
    return { fields, files: await parseMultipart(contentType, Buffer.from(body), fields) };
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe("multipart bodies", () => {
  it("fields and files come as they are, however long", async () => {
    const long = "0123456789".repeat(50_000);
    const parsed = await parse(`${field("text", long)}${file("it", `${long}!`)}${field("after", "ä")}--b--\r\n`);
    if (parsed instanceof ApiError) throw parsed;
    expect([...parsed.fields]).toEqual([
      ["text", long],
      ["after", "ä"],
    ]);
    expect(parsed.files).toMatchObject([{ field: "it", fileName: "it.txt" }]);
    expect(parsed.files[0]!.bytes.toString()).toBe(`${long}!`);
  });

  it("a null byte, too many fields, and what is no such body are BAD_REQUEST", async () => {
    for (const body of [
      field("a", "\0"),
      field("a", "x").repeat(1001),
      field("a", "x").slice(0, 20),
      "--b\r\n\r\n\r\n",
    ])
      expect(await parse(`${body}${body.endsWith("\n") ? "--b--\r\n" : ""}`)).toMatchObject({ code: "BAD_REQUEST" });
  });

  it.each([
    ["fields", field("a", "x")],
    ["files", file("a", "x")],
    ["parts without a head", "--b\r\n\r\n\r\n"],
    ["beginnings of boundaries", "\r\n--"],
    ["boundaries", "\r\n--b"],
    ["heads", `--b\r\n${"X-H: y\r\n".repeat(50)}\r\nx\r\n`],
  ])(
    "two megabytes of %s hold up nobody",
    async (what, part) => {
      const body = `${part.repeat(2_000_000 / part.length)}--b--\r\n`;
      await assertNoStall(what, () => parse(body));
    },
    60_000,
  );
});
