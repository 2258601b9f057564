/**
 * Files that are kept in MongoDB, by its GridFS: a collection of what each is, and one of their bytes in parts. Others
 * are in a folder of the collection's name. https://www.mongodb.com/docs/manual/core/gridfs/
 */
import { constants } from "node:fs";
import { mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { number, string, type } from "superstruct";
import { maybe } from "./forms.ts";
import type { MongoExport } from "./mongo-export.ts";

const file = type({ _id: string(), length: number(), chunkSize: number() });
const part = type({ files_id: string(), n: number(), data: maybe(string()) });

/** A file that claims more has a wrong length. */
const maxBytes = 4 * 2 ** 30;

/**
 * Where each file of a bucket is, by its id. Those of a folder may have an extension behind it.
 *
 * @param target an own folder, for what is put together of its parts
 */
export async function gridFiles(
  from: MongoExport,
  { folder, bucket, target, onOther }: { folder: string; bucket: string; target: string; onOther: () => void },
): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  for (const name of (await readdir(join(folder, bucket)).catch(() => [])).sort()) {
    const path = join(folder, bucket, name);
    places.set(name, path);
    places.set(name.replace(/\.[^.]*$/, ""), path);
  }
  const known = new Map<string, { length: number; chunkSize: number; path: string }>();
  for await (const { _id, length, chunkSize } of from.documents(`${bucket}.files`, file, onOther))
    if (length >= 0 && length <= maxBytes && chunkSize > 0)
      known.set(_id, { length, chunkSize, path: join(target, String(known.size)) });
    else onOther();
  if (known.size > 0) await mkdir(target, { recursive: true });
  for await (const { files_id, n, data } of from.documents(`${bucket}.chunks`, part, onOther)) {
    const bytes = Buffer.from(data ?? "", "base64");
    const of = known.get(files_id);
    const at = n * (of?.chunkSize ?? 0);
    if (!of || !Number.isInteger(n) || n < 0 || at + bytes.length > of.length) onOther();
    else {
      await writeAt(of.path, bytes, at);
      places.set(files_id, of.path);
    }
  }
  return places;
}

/** Parts come in any order. */
async function writeAt(path: string, bytes: Buffer, at: number): Promise<void> {
  const target = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    await target.write(bytes, 0, bytes.length, at);
  } finally {
    await target.close();
  }
}
