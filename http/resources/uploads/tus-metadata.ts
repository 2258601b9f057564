/** What a client of tus says of a file: names, each with its value in base64, `name value,name value,…`. */
import { ApiError } from "../../../actors/errors.ts";

/** Less than is kept of a header, so that one that was cut is refused. */
const maxLength = 4000;
const maxTypeLength = 200;

/** @throws a 422 for what is no such header, or is too long to be kept */
export function readMetadata(header: string): { fileName: string; contentType: string } {
  const message = "Upload-Metadata is malformed or too long.";
  if (header.length > maxLength || !/^[ -~]*$/.test(header)) throw new ApiError(422, "BAD_REQUEST", message);
  const values = new Map<string, string>();
  for (const pair of header.split(",")) {
    const [name = "", value = ""] = pair.trim().split(" ");
    values.set(name, Buffer.from(value, "base64").toString("utf8"));
  }
  // Zulip's clients say `filename` and `filetype`; Uppy adds its own names.
  const fileName = values.get("filename") ?? values.get("name") ?? "";
  const declared = values.get("filetype") ?? values.get("type") ?? "";
  return { fileName, contentType: /^[ -~]*$/.test(declared) ? declared.slice(0, maxTypeLength) : "" };
}
