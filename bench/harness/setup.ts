import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a bench is run with: how big, where it may write, and how what it started is ended. */
export class Setup {
  /** A folder of this bench's own, removed at its end: server logs, Parley's data. */
  readonly folder: string;
  readonly #endings: (() => Promise<void> | void)[] = [];
  #ended: Promise<void> | undefined;

  /** @param quick Sizes small enough to try the bench itself; its figures mean nothing. */
  constructor(
    name: string,
    readonly quick: boolean,
    /** How long what takes a given time is to take; undefined: each bench's own choice. */
    readonly seconds?: number,
    /** How many people a bench has that takes any number; undefined: its own choice. */
    readonly people?: number,
    /** Only those parts of a bench are run whose names hold this; undefined: all. */
    readonly only?: string,
    /** How many messages a bench has that takes any number; undefined: its own choice. */
    readonly messages?: number,
    /** Programs that run Node, for the bench that compares them; none: the one that runs the bench. */
    readonly nodes: readonly string[] = [],
  ) {
    this.folder = mkdtempSync(join(tmpdir(), `parley-bench-${name}-`));
  }

  /** Shows progress, on stderr, so that stdout holds figures alone. */
  log(line: string): void {
    process.stderr.write(`  ${line}\n`);
  }

  /** Runs `ending` when the bench is over, however it ends; the last one registered runs first. */
  atEnd(ending: () => Promise<void> | void): void {
    this.#endings.push(ending);
  }

  /** Ends everything, once, however often it is called. Every ending runs, also after one that throws. */
  end(): Promise<void> {
    this.#ended ??= this.#endAll();
    return this.#ended;
  }

  async #endAll(): Promise<void> {
    for (const ending of this.#endings.splice(0).reverse()) {
      try {
        await ending();
      } catch (error) {
        this.log(`while ending: ${String(error)}`);
      }
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
