import { expect, it } from "vitest";
import { keepInMemory, parseMultipart } from "../../../http/server/multipart.ts";

const body = (charset: string) =>
  Buffer.from(
    `--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=${charset}\r\n\r\nx\r\n--b--\r\n`,
  );
const parse = (charset: string, fields: Map<string, string>) =>
  parseMultipart("multipart/form-data; boundary=b", [body(charset)], fields, keepInMemory);

it("a field in a charset that nobody knows is BAD_REQUEST", async () => {
  await expect(parse("nothing", new Map())).rejects.toMatchObject({
    code: "BAD_REQUEST",
    message: "Unknown charset of a",
  });
  const fields = new Map<string, string>();
  await parse("latin1", fields);
  expect([...fields]).toEqual([["a", "x"]]);
});
