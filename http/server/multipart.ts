/** `multipart/form-data` bodies: text fields, and files for the endpoints that take one. */
import busboy from "busboy";
import { badRequest } from "../../actors/errors.ts";
import { checkText, maxFields } from "../api/params.ts";

export interface UploadedFile {
  /** Name of the form field. */
  field: string;
  fileName: string;
  contentType: string;
  bytes: Buffer;
}

const maxFiles = 10;
/**
 * Bytes parsed in one turn of the event loop. Few, since a body made only of beginnings of boundaries takes a
 * microsecond a byte.
 */
const sliceBytes = 16 * 1024;

/**
 * Parses a whole body. A form without parts may be nothing at all: so `form-data` writes it, and with it zulip-js.
 *
 * @throws BAD_REQUEST when it is malformed
 */
export function parseMultipart(
  contentType: string,
  body: Buffer,
  fields: Map<string, string>,
): Promise<UploadedFile[]> {
  if (body.length === 0) return Promise.resolve([]);
  return new Promise((resolve, reject) => {
    const files: UploadedFile[] = [];
    let isOver = false;
    /** The rest of a faulty body is not parsed. */
    const fail = (error: unknown) => {
      isOver = true;
      reject(error);
    };
    const failMalformed = () => fail(badRequest("Malformed multipart body"));
    let parser: busboy.Busboy;
    try {
      parser = busboy({
        headers: { "content-type": contentType },
        limits: { fields: maxFields, files: maxFiles, fieldSize: body.length, fileSize: body.length },
        defParamCharset: "utf8",
      });
    } catch {
      failMalformed();
      return;
    }
    // Its types do not say so: bytes in an unknown charset have no text.
    parser.on("field", (name: string | undefined, value: string | undefined) => {
      try {
        if (name === undefined) throw badRequest("A field of the form has no name.");
        if (value === undefined) throw badRequest(`Unknown charset of ${checkText(name, "a field's name")}`);
        fields.set(name, checkText(value, name));
      } catch (error) {
        fail(error);
      }
    });
    parser.on("file", (field, stream, info) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      // If a body ends within a file, the file's stream fails before the parser does.
      stream.on("error", failMalformed);
      stream.on("end", () => {
        files.push({ field, fileName: info.filename ?? "", contentType: info.mimeType, bytes: Buffer.concat(chunks) });
      });
    });
    parser.on("fieldsLimit", () => fail(badRequest("The request has too many fields.")));
    parser.on("filesLimit", () => fail(badRequest("The request has too many files.")));
    parser.on("error", failMalformed);
    parser.on("close", () => resolve(files));
    const feed = (from: number) => {
      if (isOver) return;
      const isLast = from + sliceBytes >= body.length;
      try {
        if (isLast) parser.end(body.subarray(from));
        else parser.write(body.subarray(from, from + sliceBytes));
      } catch {
        // Nobody else could catch it: all slices but the first are parsed in a turn of their own.
        failMalformed();
      }
      if (!isLast) setImmediate(feed, from + sliceBytes);
    };
    feed(0);
  });
}
