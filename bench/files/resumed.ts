/**
 * What becomes of a great file whose upload outlives two kills of its server?
 *
 * Setup: the owner sends a file of 2 GiB by tus (`/api/v1/tus`), into a folder and into an S3 store. After a third and
 * after two thirds of it the server is killed with SIGKILL and started again. The client asks how much has come and
 * goes on from there. Then the file is read back. Bytes are made as they go out; what comes in is hashed.
 *
 * Units: MiB that were sent a second time; MiB of resident memory at its peak above the start; ms of the server's CPU
 * for each MiB, in and out.
 */
import { createHash, type Hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { basic } from "../load/request.ts";
import { startObjectStore } from "./object-store.ts";

const mebibyte = 1024 * 1024;
const fileMib = 2048;
const quickFileMib = 24;
const kills = 2;
const lookEveryMs = 20;

/** The bounds that the project set itself. */
const mostGrownMib = 96;
/** With each kill a part of an S3 store, 8 MiB, and what sockets hold. */
const mostAgainMib = 24;

export const resumed: Bench = {
  name: "resumed",
  question: "Is a file of 2 GiB whole whose server is killed twice as it comes, and in how much memory?",
  async run(setup) {
    const mib = setup.quick ? quickFileMib : fileMib;
    const store = await startObjectStore(setup);
    const database = await BenchPostgres.start(setup);
    const rows: Row[] = [];
    for (const [name, settings] of [["folder", {}] as const, ["S3", store] as const]) {
      if (!settings) continue;
      const start = () => Parley.start(setup, database, undefined, { ...sizes(mib), ...settings });
      rows.push({ store: name, mib, ...(await measure(start, new GreatFile(mib))) });
      setup.log(`${name}: measured`);
    }
    const worst = (key: string) => Math.max(...rows.map((row) => Number(row[key])));
    return {
      columns: [
        { key: "store", label: "store" },
        { key: "mib", label: "MiB", digits: 0 },
        { key: "againMib", label: "MiB sent again", digits: 1 },
        { key: "grownMib", label: "resident MiB more", digits: 0 },
        { key: "cpuMs", label: "ms CPU/MiB", digits: 2 },
        { key: "damaged", label: "damaged", digits: 0 },
      ],
      rows,
      bounds: [
        { what: "files that were not as sent", value: worst("damaged"), limit: 0, sense: "most", kind: "portable" },
        { what: "MiB sent again", value: worst("againMib"), limit: mostAgainMib, sense: "most", kind: "portable" },
        { what: "resident MiB more", value: worst("grownMib"), limit: mostGrownMib, sense: "most", kind: "portable" },
      ],
      plots: [],
      notes: [`${kills} kills each. ${store ? "The S3 store is versitygw." : "No versitygw: no S3 store."}`],
    };
  },
};

/** A file whose parts differ from each other, made as it goes out. */
class GreatFile {
  readonly #piece = randomBytes(mebibyte);

  constructor(readonly mib: number) {}

  get bytes(): number {
    return this.mib * mebibyte;
  }

  /** From an offset to the end of its MiB. */
  from(offset: number): Buffer {
    const piece = Buffer.from(this.#piece);
    piece.writeUInt32BE(Math.floor(offset / mebibyte));
    return piece.subarray(offset % mebibyte);
  }

  hash(): string {
    const hash = createHash("sha256");
    for (let at = 0; at < this.bytes; at += mebibyte) hash.update(this.from(at));
    return hash.digest("hex");
  }
}

const sizes = (mib: number) => ({ PARLEY_MAX_UPLOAD_MIB: String(mib), PARLEY_ACCOUNT_UPLOAD_QUOTA_MIB: "0" });

/** @param start starts the server, also after a kill */
async function measure(start: () => Promise<Parley>, file: GreatFile): Promise<Row> {
  let parley = await start();
  const path = await begin(parley, file);
  let [sent, cpuMs, grownMib, url] = [0, 0, 0, ""];
  for (let part = 1; part <= kills + 1; part++) {
    const stopAt = part > kills ? file.bytes : Math.floor((file.bytes * part) / (kills + 1));
    const watch = watching(parley);
    const from = await offsetOf(parley, path);
    const answer = await send(parley, { path, file, from, stopAt });
    sent += answer.sent;
    url = answer.url;
    const seen = watch();
    cpuMs += seen.cpuMs;
    grownMib = Math.max(grownMib, seen.grownMib);
    if (part > kills) break;
    process.kill(parley.pid, "SIGKILL");
    parley = await start();
  }
  const watch = watching(parley);
  const isWhole = (await hashOf(parley, url)) === file.hash();
  const seen = watch();
  await parley.end();
  const againMib = (sent - file.bytes) / mebibyte;
  grownMib = Math.max(grownMib, seen.grownMib);
  return { againMib, grownMib, cpuMs: (cpuMs + seen.cpuMs) / file.mib, damaged: isWhole ? 0 : 1 };
}

/** Until it is called, the highest resident memory is looked for. */
function watching(parley: Parley): () => { grownMib: number; cpuMs: number } {
  const [started, cpu] = [parley.residentBytes(), parley.cpuMicroseconds()];
  let peak = started;
  const look = setInterval(() => (peak = Math.max(peak, parley.residentBytes())), lookEveryMs);
  return () => {
    clearInterval(look);
    return { grownMib: (peak - started) / mebibyte, cpuMs: (parley.cpuMicroseconds() - cpu) / 1000 };
  };
}

function ask(
  { port, owner }: Parley,
  method: string,
  path: string,
  headers: Record<string, string | number> = {},
): ClientRequest {
  return request({
    port,
    host: "127.0.0.1",
    method,
    path,
    headers: { authorization: basic(owner), "tus-resumable": "1.0.0", ...headers },
  });
}

async function answerTo(sent: ClientRequest, status: number): Promise<IncomingMessage> {
  const [answer] = (await once(sent.end(), "response")) as [IncomingMessage];
  if (answer.statusCode !== status) throw new Error(`${sent.method} ${sent.path}: ${answer.statusCode}`);
  return answer;
}

/** Returns where the upload is. */
async function begin(parley: Parley, file: GreatFile): Promise<string> {
  const name = `filename ${Buffer.from("great.bin").toString("base64")}`;
  const sent = ask(parley, "POST", "/api/v1/tus/", { "upload-length": file.bytes, "upload-metadata": name });
  const answer = await answerTo(sent, 201);
  answer.resume();
  return new URL(answer.headers.location ?? "", "http://127.0.0.1").pathname;
}

async function offsetOf(parley: Parley, path: string): Promise<number> {
  const answer = await answerTo(ask(parley, "HEAD", path), 200);
  answer.resume();
  return Number(answer.headers["upload-offset"]);
}

interface Sending {
  path: string;
  file: GreatFile;
  from: number;
  /** Where the client stops and waits for nothing more: the server is killed then. */
  stopAt: number;
}

/** Sends from an offset on. Of the whole rest the answer's address comes back. */
async function send(parley: Parley, { path, file, from, stopAt }: Sending): Promise<{ sent: number; url: string }> {
  const sending = ask(parley, "PATCH", path, {
    "content-type": "application/offset+octet-stream",
    "content-length": file.bytes - from,
    "upload-offset": from,
  });
  let at = from;
  while (at < stopAt) {
    const piece = file.from(at);
    at += piece.length;
    if (!sending.write(piece)) await once(sending, "drain");
  }
  if (stopAt < file.bytes) {
    sending.on("error", () => {});
    return { sent: at - from, url: "" };
  }
  const answer = await answerTo(sending, 200);
  let text = "";
  for await (const part of answer.setEncoding("utf8")) text += String(part);
  return { sent: at - from, url: (JSON.parse(text) as { url: string }).url };
}

async function hashOf(parley: Parley, path: string): Promise<string> {
  const answer = await answerTo(ask(parley, "GET", path), 200);
  const hash: Hash = createHash("sha256");
  for await (const part of answer) hash.update(part as Buffer);
  return hash.digest("hex");
}
