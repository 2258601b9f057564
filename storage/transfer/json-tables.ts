/** A file of JSON with a table of rows under each name, `{"name": [row, …], …}`, written and read a row at a time. */
import { createWriteStream, type WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { messageOf } from "../failures.ts";

/** Characters that are gathered before they are written. */
const pieceLength = 64 * 1024;

export class JsonTablesWriter {
  readonly #stream: WriteStream;
  readonly #ended: Promise<void>;
  #gathered = "";
  #isOpen = false;
  #end = "{}\n";
  #isFirstRow = true;

  /** @param path of a file that is not there yet; only this process's account may read it */
  constructor(path: string) {
    this.#stream = createWriteStream(path, { flags: "wx", mode: 0o600 });
    this.#ended = finished(this.#stream);
    // Whoever writes or closes is told.
    this.#ended.catch(() => {});
  }

  /** Begins a table. Rows that follow are its. */
  begin(table: string): void {
    this.#gathered += `${this.#isOpen ? "]," : "{"}\n${JSON.stringify(table)}:[`;
    this.#isOpen = true;
    this.#end = "]}\n";
    this.#isFirstRow = true;
  }

  /** Begins a file that is one list of rows, without a name. */
  beginList(): void {
    this.#gathered += "[";
    this.#end = "]\n";
  }

  /** Adds a row, or its JSON. */
  async row(row: object | string): Promise<void> {
    this.#gathered += `${this.#isFirstRow ? "" : ","}\n${typeof row === "string" ? row : JSON.stringify(row)}`;
    this.#isFirstRow = false;
    if (this.#gathered.length >= pieceLength) await this.#flush();
  }

  /** Writes a whole table. Returns how many rows it has. */
  async table(name: string, rows: Iterable<object> | AsyncIterable<object>): Promise<number> {
    this.begin(name);
    let count = 0;
    for await (const row of rows) {
      await this.row(row);
      count++;
    }
    return count;
  }

  /** The file is whole when this resolves. */
  async close(): Promise<void> {
    this.#gathered += this.#end;
    await this.#flush();
    this.#stream.end();
    await this.#ended;
  }

  async #flush(): Promise<void> {
    const piece = this.#gathered;
    this.#gathered = "";
    if (this.#stream.errored) throw this.#stream.errored;
    if (this.#stream.write(piece)) return;
    await Promise.race([new Promise<void>((resolve) => this.#stream.once("drain", () => resolve())), this.#ended]);
  }
}

const quote = 0x22;
const backslash = 0x5c;
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Bytes that are read at a time. */
const chunkBytes = 512 * 1024;
/** The most that one row may have. */
const maxRowBytes = 128 * 1024 * 1024;

/** Rows of one table that follow one another. */
export interface TableRows {
  table: string;
  rows: Record<string, unknown>[];
  /** How many texts had something that PostgreSQL cannot store; a sign of replacement stands there now. */
  mended: number;
}

/** A null character, or half of a surrogate pair, as JSON may write them; `\\u` behind a backslash does no harm. */
const mayBeUnstorable =
  /\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]/;
const unstorables = /[\0\p{Cs}]/gu;

/**
 * Reads such a file, whoever wrote it, in order: as many rows at a time as some hundred kilobytes hold, at least one.
 * What is no table is passed over. A file may be larger than what fits one text, or memory.
 *
 * @param only the one table that is read; the others are only looked through
 * @throws Error when it is no JSON of this form
 */
export async function* readJsonTables(path: string, only?: string): AsyncGenerator<TableRows> {
  const scanner = new Scanner(path, only);
  const file = await open(path, "r");
  try {
    for (;;) {
      const { buffer, from } = scanner.room();
      const { bytesRead } = await file.read(buffer, from, buffer.length - from);
      if (bytesRead === 0) break;
      yield* scanner.take(bytesRead);
    }
  } finally {
    await file.close();
  }
  scanner.end();
}

/**
 * Finds where rows begin and end by brackets and quotes alone. At depth 1 are names of tables, at depth 2 their rows.
 * `JSON.parse` reads rows that are whole, all at once.
 */
class Scanner {
  /** What was read and may still be needed. */
  #buffer = Buffer.allocUnsafe(chunkBytes);
  #filled = 0;
  /** The next byte to look at. After a backslash at the end it is one that has not been read yet. */
  #at = 0;
  #depth = 0;
  #isInText = false;
  #isInTable = false;
  /** Where a name begins, the first whole row, or the one that is not whole yet; -1: there is none. */
  #nameFrom = -1;
  #rowsFrom = -1;
  #rowFrom = -1;
  /** Where the last whole row ends. */
  #rowsTo = 0;
  #name = "";
  #isDone = false;
  #ready: TableRows[] = [];
  #mended = 0;

  constructor(
    private readonly path: string,
    private readonly only: string | undefined,
  ) {}

  /** Where the next bytes go. */
  room(): { buffer: Buffer; from: number } {
    if (this.#filled === this.#buffer.length) {
      if (this.#filled >= maxRowBytes) throw new Error(`A row of ${this.path} is too large.`);
      const larger = Buffer.allocUnsafe(2 * this.#filled);
      this.#buffer.copy(larger, 0, 0, this.#filled);
      this.#buffer = larger;
    }
    return { buffer: this.#buffer, from: this.#filled };
  }

  /** Looks at that many new bytes. Returns the rows that are whole by now. */
  take(bytes: number): TableRows[] {
    this.#filled += bytes;
    this.#look();
    this.#gather();
    this.#keepRest();
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  #look(): void {
    const buffer = this.#buffer;
    const end = this.#filled;
    let at = this.#at;
    for (; at < end; at++) {
      const byte = buffer[at];
      if (this.#isInText) {
        at = endOfText(buffer, at, end);
        if (at >= end) break;
        this.#isInText = false;
        if (this.#nameFrom >= 0) this.#takeName(at + 1);
      } else if (byte === quote) {
        this.#isInText = true;
        if (this.#depth === 1) this.#nameFrom = at;
      } else if (byte === openBrace || byte === openBracket) {
        if (this.#depth === 1) this.#isInTable = byte === openBracket;
        else if (this.#depth === 2 && byte === openBrace && this.#isInTable && this.#isWanted()) this.#rowFrom = at;
        this.#depth++;
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth--;
        if (this.#depth === 2 && this.#rowFrom >= 0) {
          if (this.#rowsFrom < 0) this.#rowsFrom = this.#rowFrom;
          this.#rowsTo = at + 1;
          this.#rowFrom = -1;
        } else if (this.#depth === 1) this.#gather();
        else if (this.#depth === 0) this.#isDone = true;
      }
    }
    this.#at = at;
  }

  #isWanted(): boolean {
    return this.only === undefined || this.only === this.#name;
  }

  #takeName(end: number): void {
    this.#name = String(this.#parse(this.#nameFrom, end)[0]);
    this.#nameFrom = -1;
  }

  #gather(): void {
    if (this.#rowsFrom < 0) return;
    this.#mended = 0;
    const rows = this.#parse(this.#rowsFrom, this.#rowsTo).filter(isRow);
    this.#rowsFrom = -1;
    this.#ready.push({ table: this.#name, rows, mended: this.#mended });
  }

  #parse(from: number, to: number): unknown[] {
    try {
      const json = `[${this.#buffer.toString("utf8", from, to)}]`;
      return JSON.parse(json, mayBeUnstorable.test(json) ? this.#mend : undefined);
    } catch (error) {
      throw new Error(`${this.path} is no file of JSON: ${messageOf(error)}`);
    }
  }

  readonly #mend = (_: string, value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const storable = value.replace(unstorables, "\ufffd");
    if (storable !== value) this.#mended++;
    return storable;
  };

  /** Moves what is not whole yet to the front. */
  #keepRest(): void {
    const from = this.#rowFrom >= 0 ? this.#rowFrom : this.#nameFrom >= 0 ? this.#nameFrom : this.#filled;
    this.#buffer.copy(this.#buffer, 0, from, this.#filled);
    this.#filled -= from;
    this.#at -= from;
    if (this.#rowFrom >= 0) this.#rowFrom = 0;
    if (this.#nameFrom >= 0) this.#nameFrom = 0;
  }

  end(): void {
    if (!this.#isDone || this.#depth !== 0 || this.#isInText) throw new Error(`${this.path} is no whole file of JSON.`);
  }
}

/** The place of the quote that ends a text; `end` or later: it goes on. */
function endOfText(buffer: Buffer, from: number, end: number): number {
  let at = from;
  for (; at < end; at++) {
    const byte = buffer[at];
    if (byte === quote) return at;
    if (byte === backslash) at++;
  }
  return at;
}

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
