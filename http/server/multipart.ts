/** `multipart/form-data` bodies: text fields, and files for the endpoints that take one. */
import type { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import busboy from "busboy";
import { badRequest } from "../../actors/errors.ts";
import { checkText, maxFields } from "../api/params.ts";

/** What a form says of a file. */
export interface FileHead {
  /** Name of the form field. */
  field: string;
  fileName: string;
  contentType: string;
}

/** A file that came as a whole, into memory. */
export interface UploadedFile extends FileHead {
  bytes: Buffer;
}

/** Takes the bytes of a file while they come in. What it does not ask for is not read from the client. */
export type TakeFile<T> = (file: FileHead, pieces: AsyncIterable<Buffer>) => Promise<T>;

const maxFiles = 10;
/** Characters of all text fields together. */
const maxTextBytes = 4 * 1024 * 1024;
/**
 * Bytes parsed in one turn of the event loop. Few, since a body made only of beginnings of boundaries takes a
 * microsecond a byte.
 */
const sliceBytes = 16 * 1024;

/** Keeps a file in memory: its body is in memory already, or is small. */
export const keepInMemory: TakeFile<UploadedFile> = async (file, pieces) => {
  const chunks: Buffer[] = [];
  for await (const piece of pieces) chunks.push(piece);
  return { ...file, bytes: Buffer.concat(chunks) };
};

/**
 * Parses a body while it comes in. A form without parts may be nothing at all: so `form-data` writes it, and with it
 * zulip-js. When this throws, nothing is being taken any more.
 *
 * @throws BAD_REQUEST when it is malformed, and whatever the body or `take` throws
 */
export async function parseMultipart<T>(
  contentType: string,
  body: Iterable<Buffer> | AsyncIterable<Buffer>,
  fields: Map<string, string>,
  take: TakeFile<T>,
): Promise<T[]> {
  const form = new Form(contentType, fields, take);
  try {
    for await (const chunk of body)
      for (let from = 0; from < chunk.length; from += sliceBytes) {
        await form.write(chunk.subarray(from, from + sliceBytes));
        await turn();
      }
    return await form.end();
  } catch (error) {
    await form.fail(error);
    throw form.failure;
  }
}

class Form<T> {
  readonly #parser: busboy.Busboy;
  readonly #taken: Promise<T>[] = [];
  readonly #closed: Promise<void>;
  #isEmpty = true;
  #textBytes = 0;
  /** What went wrong first. The rest of a faulty body is not parsed. */
  failure: unknown;
  #goOn: (() => void) | undefined;

  /** @throws BAD_REQUEST */
  constructor(
    contentType: string,
    private readonly fields: Map<string, string>,
    private readonly take: TakeFile<T>,
  ) {
    try {
      this.#parser = busboy({
        headers: { "content-type": contentType },
        limits: { fields: maxFields, files: maxFiles, fieldSize: maxTextBytes },
        defParamCharset: "utf8",
      });
    } catch {
      throw malformed();
    }
    const parser = this.#parser;
    // Its types do not say so: bytes in an unknown charset have no text.
    parser.on("field", (name: string | undefined, value: string | undefined, { valueTruncated }) => {
      try {
        this.#addField(name, value, valueTruncated);
      } catch (error) {
        void this.fail(error);
      }
    });
    parser.on("file", (field, stream, { filename, mimeType }) =>
      this.#takeFile({ field, fileName: filename ?? "", contentType: mimeType }, stream),
    );
    parser.on("fieldsLimit", () => void this.fail(badRequest("The request has too many fields.")));
    parser.on("filesLimit", () => void this.fail(badRequest("The request has too many files.")));
    parser.on("error", () => void this.fail(malformed()));
    this.#closed = new Promise((closed) => parser.on("close", closed));
  }

  /** Resolves when these bytes are parsed and taken. @throws what went wrong */
  async write(bytes: Buffer): Promise<void> {
    this.#isEmpty = false;
    await new Promise<void>((goOn) => {
      this.#goOn = goOn;
      if (this.failure === undefined) this.#parser.write(bytes, () => goOn());
      else goOn();
    });
    if (this.failure !== undefined) throw this.failure;
  }

  /** No more bytes come. @throws what went wrong */
  async end(): Promise<T[]> {
    if (this.#isEmpty) return [];
    this.#parser.end();
    await this.#closed;
    if (this.failure !== undefined) throw this.failure;
    return Promise.all(this.#taken);
  }

  /** Ends it. Resolves when nothing is being taken any more. */
  async fail(error: unknown): Promise<void> {
    if (this.failure === undefined) {
      this.failure = error;
      // A file that is being taken fails with it.
      this.#parser.destroy(error instanceof Error ? error : undefined);
      this.#goOn?.();
    }
    await Promise.allSettled(this.#taken);
  }

  #addField(name: string | undefined, value: string | undefined, isCut: boolean): void {
    if (name === undefined) throw badRequest("A field of the form has no name.");
    if (value === undefined) throw badRequest(`Unknown charset of ${checkText(name, "a field's name")}`);
    this.#textBytes += name.length + value.length;
    if (isCut || this.#textBytes > maxTextBytes) throw badRequest("The form has too much text.");
    this.fields.set(name, checkText(value, name));
  }

  #takeFile(file: FileHead, stream: Readable): void {
    // The parser says all that is in the bytes that it has, also once it was destroyed, and this file would never end.
    if (this.failure !== undefined) return void stream.destroy();
    // If a body ends within a file, the file's stream fails before the parser does.
    stream.on("error", () => void this.fail(malformed()));
    // Whoever takes no more says why. Until then the form waits, and reads no end of a file into it.
    const taken = this.take(file, stream.iterator({ destroyOnReturn: false }));
    taken.catch((error: unknown) => this.fail(error));
    this.#taken.push(taken);
  }
}

const malformed = () => badRequest("Malformed multipart body");
