/**
 * A folder of answers of Microsoft Graph, each as it came: an object with rows in `value`, or an array of rows. The
 * list `users` is one file with `.json` behind its name, or a folder `users` of such files, a page each.
 */
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Struct } from "superstruct";

/** Bytes of one page: a text of more does not fit into a string. */
const maxPageBytes = 256 * 2 ** 20;
/** Rows of another form that are told one by one: of each file, and of all. */
const maxNamedOfFile = 5;
const maxNamed = 100;

export class GraphAnswers {
  readonly #named = new Map<string, number>();
  #namedOfAll = 0;

  constructor(
    private readonly folder: string,
    private readonly note: (what: string) => void,
  ) {}

  /** Whether there is such a list. */
  async has(list: string): Promise<boolean> {
    return (await this.#pages(list)).length > 0;
  }

  /** Names in a folder. */
  names = async (...below: string[]): Promise<string[]> =>
    (await readdir(join(this.folder, ...below)).catch(() => [])).sort();

  /**
   * The rows of a list that have the form, a page at a time.
   *
   * @param isFirst what has another form is told once
   * @throws Error that names the file which is no JSON
   */
  async *rows<T, S>(list: string, form: Struct<T, S>, isFirst = true): AsyncGenerator<T> {
    for (const name of await this.#pages(list)) {
      const page = await this.#page(name);
      const rows = Array.isArray(page) ? page : rowsIn(page);
      if (rows === undefined) {
        if (isFirst) this.#other(name, " has no rows in value");
        continue;
      }
      for (const [at, row] of rows.entries()) {
        const [failure, read] = form.validate(row);
        if (read !== undefined) yield read;
        else if (isFirst)
          this.#other(name, `, row ${at + 1}: ${failure?.path.join(".").slice(0, 60) || "it"} has another form`);
      }
    }
  }

  #other(name: string, why: string): void {
    const named = this.#named.get(name) ?? 0;
    if (named >= maxNamedOfFile || this.#namedOfAll >= maxNamed) {
      this.note("further rows in a form that Graph's have not");
      return;
    }
    this.#named.set(name, named + 1);
    this.#namedOfAll++;
    // What a row calls its columns is for nobody's terminal.
    this.note(`${name}${why}`.replace(/[\p{C}\u2028\u2029]/gu, "�"));
  }

  async #pages(list: string): Promise<string[]> {
    const isFile = (await stat(join(this.folder, `${list}.json`)).catch(() => undefined))?.isFile();
    const pages = (await this.names(list)).filter((name) => name.endsWith(".json"));
    return [...(isFile ? [`${list}.json`] : []), ...pages.map((name) => `${list}/${name}`)];
  }

  async #page(name: string): Promise<unknown> {
    const file = await open(join(this.folder, name));
    try {
      if ((await file.stat()).size > maxPageBytes)
        throw new Error(`${name} is too large: put each page that Graph answered into a file of its own.`);
      const text = await file.readFile("utf8");
      try {
        return JSON.parse(text.replace(/^\ufeff/, ""));
      } catch {
        throw new Error(`${name} is no JSON.`);
      }
    } finally {
      await file.close();
    }
  }
}

function rowsIn(page: unknown): unknown[] | undefined {
  const value = typeof page === "object" && page !== null && "value" in page ? page.value : undefined;
  return Array.isArray(value) ? value : undefined;
}
