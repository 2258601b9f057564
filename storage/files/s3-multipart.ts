/** Uploads of an S3 store that consist of parts. */
import { FilesUnavailable } from "../failures.ts";
import { checkPath } from "./file-store.ts";
import { type BodyOnDisk, elementsIn, type S3Connection, tagIn } from "./s3-connection.ts";

/**
 * A store may copy every part before it answers: gigabytes, that is. What it was given up for it does all the same, and
 * the client would begin anew.
 */
const completePatience = 10;

/** A file that goes to the store in parts, and is there when they are put together. */
export class Multipart {
  constructor(
    private readonly connection: S3Connection,
    private readonly path: string,
    readonly id: string,
  ) {}

  static async begin(connection: S3Connection, path: string): Promise<Multipart> {
    const { body } = await connection.ask({
      method: "POST",
      key: checkPath(path),
      query: { uploads: "" },
      headers: connection.storing(),
    });
    const id = tagIn(body.toString("utf8"), "UploadId");
    if (id === undefined) throw new FilesUnavailable("The object store began no upload.");
    return new Multipart(connection, path, id);
  }

  /** @param number from 1 on */
  async put(number: number, body: BodyOnDisk): Promise<void> {
    const query = { partNumber: String(number), uploadId: this.id };
    await this.connection.ask({ method: "PUT", key: checkPath(this.path), query, body });
  }

  /** The parts that the store has, by their numbers; undefined where it knows no such upload. */
  async list(): Promise<{ number: number; size: number; tag: string }[] | undefined> {
    const found: { number: number; size: number; tag: string }[] = [];
    let after: string | undefined;
    do {
      const query = { uploadId: this.id, ...(after !== undefined && { "part-number-marker": after }) };
      const { status, body } = await this.connection.ask({
        method: "GET",
        key: checkPath(this.path),
        query,
        alsoGood: [404],
      });
      if (status === 404) return undefined;
      const xml = body.toString("utf8");
      for (const part of elementsIn(xml, "Part"))
        found.push({
          number: Number(tagIn(part, "PartNumber")),
          size: Number(tagIn(part, "Size")),
          tag: tagIn(part, "ETag") ?? "",
        });
      const next = tagIn(xml, "NextPartNumberMarker");
      if (next !== undefined && next === after)
        throw new FilesUnavailable("The object store lists the same parts again.");
      after = tagIn(xml, "IsTruncated") === "true" ? next : undefined;
    } while (after !== undefined);
    return found.sort((one, other) => one.number - other.number);
  }

  async complete(): Promise<void> {
    const parts = (await this.list()) ?? [];
    const named = parts.map(({ number, tag }) => {
      const safe = tag.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
      return `<Part><PartNumber>${number}</PartNumber><ETag>${safe}</ETag></Part>`;
    });
    const body = Buffer.from(`<CompleteMultipartUpload>${named.join("")}</CompleteMultipartUpload>`);
    const query = { uploadId: this.id };
    const patience = completePatience;
    await this.connection.ask({ method: "POST", key: checkPath(this.path), query, body, patience });
  }

  async abort(): Promise<void> {
    const query = { uploadId: this.id };
    await this.connection.ask({ method: "DELETE", key: checkPath(this.path), query, alsoGood: [404] });
  }
}
