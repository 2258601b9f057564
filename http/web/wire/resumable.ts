/**
 * Uploads that go on where they ended, by tus (`http/resources/uploads/tus.ts`). The browser remembers how the server
 * calls an upload. A page that was left forgets its files, so its person chooses the same one again.
 */
import { ApiError, read } from "../../client/request.ts";
import { kept, namedTextsOf } from "../kept.ts";
import { transmit, type UploadOptions } from "./api.ts";

const storageKey = "unfinished-uploads";
/** The oldest of more are forgotten; the server forgets them after a day. */
const mostKept = 50;
const spoken = { "Tus-Resumable": "1.0.0" };
/** Another request for the same upload is still being heard. */
const passing = new Set([409, 423]);

interface Stored {
  url: string;
  filename: string;
}

/**
 * Brings what the server has not got of a file. Asked again after a failure it goes on.
 * @throws ApiError, also when it was cancelled (`CANCELLED`); then the server forgets what it got
 */
export async function uploadInParts(file: File, options: UploadOptions = {}): Promise<Stored> {
  const key = `${file.name}:${file.size}:${file.lastModified}`;
  const { signal, onProgress } = options;
  let id = begun()[key];
  try {
    let offset = id === undefined ? undefined : await offsetOf(id, options);
    if (id === undefined || offset === undefined) {
      id = await begin(file, options);
      keep(key, id);
      offset = 0;
    }
    const from = offset;
    const headers = { ...spoken, "Upload-Offset": String(from), "Content-Type": "application/offset+octet-stream" };
    const answer = await transmit("PATCH", `/tus/${id}`, file.slice(from), {
      headers,
      onProgress: (bytes) => onProgress?.((from + bytes) / Math.max(1, file.size)),
      ...(signal && { signal }),
    });
    if (answer.status === 200) {
      keep(key, undefined);
      return JSON.parse(answer.text) as Stored;
    }
    if (answer.status < 300 || passing.has(answer.status)) throw new ApiError("", "NETWORK", 0);
    return read(answer.status, answer.text);
  } catch (error) {
    const isOver = signal?.aborted || (error instanceof ApiError && !error.isPassing);
    if (isOver) keep(key, undefined);
    if (signal?.aborted && id !== undefined)
      void transmit("DELETE", `/tus/${id}`, null, { headers: spoken }).catch(() => {});
    throw error;
  }
}

/** Bytes that the server has; undefined when it knows no such upload, or it is another account's. */
async function offsetOf(id: string, { signal }: UploadOptions): Promise<number | undefined> {
  const answer = await transmit("HEAD", `/tus/${id}`, null, { headers: spoken, ...(signal && { signal }) });
  if (answer.status === 404) return undefined;
  const offset = answer.header("Upload-Offset");
  if (answer.status !== 200 || offset === null) throw new ApiError("", "NETWORK", 0);
  return Number(offset);
}

async function begin(file: File, { signal }: UploadOptions): Promise<string> {
  const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  const headers = {
    ...spoken,
    "Upload-Length": String(file.size),
    "Upload-Metadata": `filename ${base64(file.name)},filetype ${base64(file.type)}`,
  };
  const answer = await transmit("POST", "/tus/", null, { headers, ...(signal && { signal }) });
  const id = answer.header("Location")?.split("/").at(-1);
  if (answer.status === 201 && id !== undefined) return id;
  return read(answer.status, answer.text);
}

const begun = (): Record<string, string> => Object.fromEntries(namedTextsOf(kept(storageKey)));

function keep(key: string, id: string | undefined): void {
  const { [key]: _, ...others } = begun();
  const entries = Object.entries(id === undefined ? others : { ...others, [key]: id });
  try {
    localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(entries.slice(-mostKept))));
  } catch {
    // Without room an upload goes on until the page is left.
  }
}
