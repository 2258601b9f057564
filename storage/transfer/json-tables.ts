/** A file of JSON with a table of rows under each name, `{"name": [row, …], …}`, written and read a row at a time. */
import { createReadStream, createWriteStream, type WriteStream } from "node:fs";
import { finished } from "node:stream/promises";

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

/** The most that one row may have. */
const maxRowBytes = 128 * 1024 * 1024;

/**
 * Reads such a file, whoever wrote it: hands over each row with the name of its table, in order. What is no table is
 * passed over. A file may be larger than what fits one text.
 *
 * @param only the one table that is read; the others are only looked through
 * @throws Error when it is no JSON of this form
 */
export async function readJsonTables(
  path: string,
  onRow: (table: string, row: unknown) => void,
  only?: string,
): Promise<void> {
  const scanner = new Scanner(onRow, only);
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) scanner.take(chunk as Buffer);
  scanner.end(path);
}

/**
 * Finds where rows begin and end by brackets and quotes alone; `JSON.parse` reads each. At depth 1 are names of
 * tables, at depth 2 their rows.
 */
class Scanner {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** What is being gathered: a name, or a row. */
  #parts: Buffer[] = [];
  #gathered = 0;
  #from = -1;
  #name = "";
  #isDone = false;

  constructor(
    private readonly onRow: (table: string, row: unknown) => void,
    private readonly only: string | undefined,
  ) {}

  take(chunk: Buffer): void {
    if (this.#from >= 0) this.#from = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#isInText) {
        at = this.#skipText(chunk, at);
        continue;
      }
      switch (chunk[at]) {
        case quote:
          this.#isInText = true;
          if (this.#depth === 1) this.#from = at;
          break;
        case openBrace:
        case openBracket:
          if (this.#depth === 2 && chunk[at] === openBrace && (this.only ?? this.#name) === this.#name) this.#from = at;
          this.#depth++;
          break;
        case closeBrace:
        case closeBracket:
          this.#depth--;
          if (this.#depth === 2 && this.#from >= 0) this.onRow(this.#name, this.#taken(chunk, at + 1));
          if (this.#depth === 0) this.#isDone = true;
          break;
        default:
      }
    }
    if (this.#from >= 0) this.#keep(chunk.subarray(this.#from));
  }

  /** Returns the place of the text's end, or of the last byte. */
  #skipText(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (chunk[at] === backslash) this.#isEscaped = true;
      else if (chunk[at] === quote) {
        this.#isInText = false;
        if (this.#depth === 1) this.#name = this.#taken(chunk, at + 1) as string;
        return at;
      }
    }
    return chunk.length - 1;
  }

  #taken(chunk: Buffer, end: number): unknown {
    this.#keep(chunk.subarray(this.#from, end));
    const json = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const value: unknown = JSON.parse(json.toString("utf8"));
    this.#parts = [];
    this.#gathered = 0;
    this.#from = -1;
    return value;
  }

  #keep(part: Buffer): void {
    this.#gathered += part.length;
    if (this.#gathered > maxRowBytes) throw new Error("A row of the export is too large.");
    // The stream may use the chunk's memory again.
    this.#parts.push(Buffer.from(part));
  }

  end(path: string): void {
    if (!this.#isDone || this.#depth !== 0 || this.#isInText) throw new Error(`${path} is no whole file of JSON.`);
  }
}
