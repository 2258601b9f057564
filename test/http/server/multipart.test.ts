import { describe, expect, it } from "vitest";
import { ApiError } from "../../../actors/errors.ts";
import {
  multipartField as field,
  multipartFile as file,
  hostileMultipart,
  multipartType,
} from "../../../bench/hostile/bodies.ts";
import { keepInMemory, parseMultipart, type UploadedFile } from "../../../http/server/multipart.ts";

/** The fields and files of a body, or what a client is told of it. @throws whatever is no error for a client */
async function parse(body: string): Promise<{ fields: Map<string, string>; files: UploadedFile[] } | ApiError> {
  const fields = new Map<string, string>();
  try {
    return { fields, files: await parseMultipart(multipartType, [Buffer.from(body)], fields, keepInMemory) };
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

  it("a field without a name is BAD_REQUEST, and no name in the answer is null", async () => {
    const nameless = field("a", "x").replace(/; name="a"/, "");
    expect(nameless).not.toContain("name=");
    expect(await parse(`${nameless}--b--\r\n`)).toMatchObject({ message: "A field of the form has no name." });
  });

  it.each(Object.entries(hostileMultipart))("two megabytes of %s are refused, or hold nothing", async (_what, body) => {
    const parsed = await parse(body);
    if (parsed instanceof ApiError) expect(parsed.code).toBe("BAD_REQUEST");
    else expect({ ...parsed, fields: parsed.fields.size }).toEqual({ fields: 0, files: [] });
  });

  it("more files than one request may hold are refused, not dropped", async () => {
    const body = `${file("a", "x").repeat(200)}--b--\r\n`;
    expect(await parse(body)).toMatchObject({ code: "BAD_REQUEST", message: "The request has too many files." });
  });
});
