/** The objects of a bucket: each is put, read, listed and removed by one request. */
import { FilesUnavailable } from "../failures.ts";
import { checkPath, isPlainPath, type OpenedFile, type StoredFile } from "./file-store.ts";
import { type BodyOnDisk, elementsIn, type S3Connection, tagIn } from "./s3-connection.ts";

const mebibyte = 1024 * 1024;
/** Read at once for a client. The first is smaller, since most files are. */
const firstBlockBytes = 256 * 1024;
const blockBytes = mebibyte;

export class S3Objects {
  constructor(readonly connection: S3Connection) {}

  /** In one request. */
  async put(path: string, body: Uint8Array | BodyOnDisk): Promise<void> {
    await this.connection.ask({ method: "PUT", key: checkPath(path), headers: this.connection.storing(), body });
  }

  async open(path: string): Promise<OpenedFile | undefined> {
    const size = await this.size(path);
    if (size === undefined) return undefined;
    let block: Uint8Array = new Uint8Array();
    let at = 0;
    const read = async (offset: number, into: Uint8Array): Promise<number> => {
      if (offset >= size || into.length === 0) return 0;
      if (offset < at || offset >= at + block.length) {
        const most = at === 0 && block.length === 0 ? firstBlockBytes : blockBytes;
        block = await this.#range(path, offset, Math.min(size, offset + most));
        at = offset;
      }
      const piece = block.subarray(offset - at, offset - at + into.length);
      into.set(piece);
      return piece.length;
    };
    return { size, read };
  }

  /** @throws ENOENT, FilesUnavailable */
  async #range(path: string, from: number, to: number): Promise<Uint8Array> {
    const headers = { range: `bytes=${from}-${to - 1}` };
    const { status, body } = await this.connection.ask({
      method: "GET",
      key: checkPath(path),
      headers,
      alsoGood: [404, 416],
      maxBytes: Math.max(to - from, 64 * 1024),
    });
    if (status === 404) throw Object.assign(new Error(`${path} is not in the object store`), { code: "ENOENT" });
    if (body.length !== to - from) throw new FilesUnavailable("The object store answered with another part of a file.");
    return body;
  }

  /** All of a small file; undefined when there is none. */
  async read(path: string): Promise<Buffer | undefined> {
    const { status, body } = await this.connection.ask({ method: "GET", key: checkPath(path), alsoGood: [404] });
    return status === 404 ? undefined : body;
  }

  async size(path: string): Promise<number | undefined> {
    const { status, headers } = await this.connection.ask({ method: "HEAD", key: checkPath(path), alsoGood: [404] });
    if (status === 404) return undefined;
    const size = headers["content-length"];
    if (size === undefined || !/^\d{1,15}$/.test(size))
      throw new FilesUnavailable("The object store does not say how long a file is.");
    return Number(size);
  }

  async remove(path: string): Promise<void> {
    await this.connection.ask({ method: "DELETE", key: checkPath(path), alsoGood: [404] });
  }

  /** Files whose paths begin so, those that came in part too. */
  async *list(begins: string): AsyncGenerator<StoredFile, void, void> {
    const { prefix } = this.connection.settings;
    const before = prefix === "" ? "" : `${prefix}/`;
    let from: string | undefined;
    do {
      const query = {
        "list-type": "2",
        prefix: before + begins,
        ...(from !== undefined && { "continuation-token": from }),
      };
      const { body } = await this.connection.ask({ method: "GET", query });
      const xml = body.toString("utf8");
      for (const element of elementsIn(xml, "Contents")) {
        const path = (tagIn(element, "Key") ?? "").slice(before.length);
        const size = Number(tagIn(element, "Size"));
        // Others' files may be in the bucket.
        if (isPlainPath(path) && Number.isSafeInteger(size))
          yield { path, size, changedAtMs: Date.parse(tagIn(element, "LastModified") ?? "") || 0 };
      }
      const next = tagIn(xml, "NextContinuationToken");
      if (next !== undefined && next === from)
        throw new FilesUnavailable("The object store lists the same files again.");
      from = tagIn(xml, "IsTruncated") === "true" ? next : undefined;
    } while (from !== undefined);
  }
}
