/**
 * What do large files cost the process that takes and serves them?
 *
 * Setup: the owner sends files of 100 MiB to `POST /user_uploads` and reads them back, one at a time and four at once
 * of 25 MiB. The bytes are made while they go out, and thrown away as they come in. Resident memory is looked at every
 * 10 ms, and counted from what it was after a file of each kind had come and gone. An answer of another status than
 * 200 ends the bench.
 *
 * Units: MiB of resident memory at its peak above the start. ms of the longest pause of the server's event loop. ms of
 * the server's CPU per MiB.
 */
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { basic } from "../load/request.ts";

const mebibyte = 1024 * 1024;
const fileMib = 100;
const quickFileMib = 4;
const lookEveryMs = 10;
const pieceBytes = 64 * 1024;
const rounds = 3;

/** The bounds that the project set itself. */
const mostGrownMib = 64;
const mostPauseMs = 20;

export const files: Bench = {
  name: "files",
  question: "What memory and which pauses does a file of 100 MiB cost, as it comes and as it goes?",
  async run(setup) {
    const mib = setup.quick ? quickFileMib : fileMib;
    const parley = await Parley.start(setup, await BenchPostgres.start(setup));
    const urls = new Map<number, string>();
    for (const size of [mib, mib / 4]) {
      urls.set(size, await upload(parley, size * mebibyte));
      await download(parley, urls.get(size)!);
    }
    const cases = [
      { what: "upload", size: mib, atOnce: 1, act: () => upload(parley, mib * mebibyte) },
      { what: "upload", size: mib / 4, atOnce: 4, act: () => upload(parley, (mib / 4) * mebibyte) },
      { what: "download", size: mib, atOnce: 1, act: () => download(parley, urls.get(mib)!) },
      { what: "download", size: mib / 4, atOnce: 4, act: () => download(parley, urls.get(mib / 4)!) },
    ];
    const rows: Row[] = [];
    for (const { what, size, atOnce, act } of cases) {
      let [grownMib, pauseMs, cpuMs] = [0, 0, 0];
      for (let round = 0; round < rounds; round++) {
        await parley.memory();
        const started = parley.residentBytes();
        const cpu = parley.cpuMicroseconds();
        let peak = started;
        const look = setInterval(() => (peak = Math.max(peak, parley.residentBytes())), lookEveryMs);
        await parley.watchLoop();
        await Promise.all(Array.from({ length: atOnce }, async () => void (await act())));
        pauseMs = Math.max(pauseMs, await parley.longestPauseMs());
        clearInterval(look);
        grownMib = Math.max(grownMib, (peak - started) / mebibyte);
        cpuMs += (parley.cpuMicroseconds() - cpu) / 1000;
        await sleep(100);
      }
      setup.log(`${what} of ${size} MiB, ${atOnce} at once: +${grownMib.toFixed(0)} MiB, ${pauseMs.toFixed(0)} ms`);
      rows.push({ what, size, atOnce, grownMib, pauseMs, cpuMs: cpuMs / rounds / (size * atOnce) });
    }
    const worst = (key: string) => Math.max(...rows.map((row) => Number(row[key])));
    return {
      columns: [
        { key: "what", label: "file" },
        { key: "size", label: "MiB", digits: 0 },
        { key: "atOnce", label: "at once", digits: 0 },
        { key: "grownMib", label: "resident MiB more", digits: 0 },
        { key: "pauseMs", label: "longest pause ms", digits: 1 },
        { key: "cpuMs", label: "ms CPU/MiB", digits: 2 },
      ],
      rows,
      bounds: [
        { what: "resident MiB more", value: worst("grownMib"), limit: mostGrownMib, sense: "most", kind: "portable" },
        { what: "longest pause in ms", value: worst("pauseMs"), limit: mostPauseMs, sense: "most", kind: "machine" },
      ],
      plots: [],
      notes: [`Parley runs ${parley.build}.`],
    };
  },
};

/** Sends a file of so many bytes, as fast as the server takes it. Returns its address. */
function upload({ port, owner }: Parley, bytes: number): Promise<string> {
  const head = Buffer.from(
    '--b\r\nContent-Disposition: form-data; name="file"; filename="f.bin"\r\nContent-Type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from("\r\n--b--\r\n");
  const piece = randomBytes(pieceBytes);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        path: "/api/v1/user_uploads",
        method: "POST",
        headers: {
          authorization: basic(owner),
          "content-type": "multipart/form-data; boundary=b",
          "content-length": head.length + bytes + tail.length,
        },
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.on("end", () => {
          if (answer.statusCode === 200) resolve((JSON.parse(text) as { url: string }).url);
          else reject(new Error(`an upload was answered ${answer.statusCode}: ${text.slice(0, 300)}`));
        });
      },
    );
    sent.on("error", reject);
    sent.write(head);
    let left = bytes;
    const go = (): void => {
      while (left > 0) {
        const next = piece.subarray(0, Math.min(left, piece.length));
        left -= next.length;
        if (!sent.write(next)) {
          sent.once("drain", go);
          return;
        }
      }
      sent.end(tail);
    };
    go();
  });
}

/** Reads a file, and keeps nothing of it. */
function download({ port, owner }: Parley, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path, headers: { authorization: basic(owner) } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`a download was answered ${answer.statusCode}`));
      answer.resume().on("end", resolve).on("error", reject);
    })
      .on("error", reject)
      .end();
  });
}
