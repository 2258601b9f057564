/** The process that reads other sites (`fetch-process.mjs`): started when somebody asks, ended when nobody does. */
import type { ChildProcess } from "node:child_process";
import { type Tracer, tracedRequest } from "../../actors/tracing.ts";
import { startIsolated } from "../server/isolated-process.ts";

export interface SiteReaderSettings {
  /** Addresses and ranges that may be read although they are not public. */
  alsoAllowed: string;
  userAgent: string;
  /** Undefined: nothing is traced. */
  tracer?: Tracer | undefined;
}

/** What a page says of itself, with its picture. */
export interface FoundPage {
  title: string;
  description: string;
  image: Uint8Array;
}

/** A picture, a film or a sound. */
export interface FoundMedia {
  type: string;
  bytes: Uint8Array;
}

/** `undone`: nothing was found out, as the process ended. Undefined: there is nothing to be shown. */
type Found<T> = T | undefined | "undone";

/** The process gives up before; one that does not is ended. */
const overdueMs = 30_000;
const idleMs = 30_000;

export class SiteReader {
  #child: ChildProcess | undefined;
  #taskId = 0;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;
  readonly #asked = new Map<number, (found: Found<FoundPage | FoundMedia>) => void>();

  constructor(private readonly settings: SiteReaderSettings) {}

  readPage(url: string): Promise<Found<FoundPage>> {
    return this.#ask(url, "page") as Promise<Found<FoundPage>>;
  }

  readMedia(url: string): Promise<Found<FoundMedia>> {
    return this.#ask(url, "media") as Promise<Found<FoundMedia>>;
  }

  close(): void {
    this.#isClosed = true;
    this.#end();
  }

  #ask(url: string, kind: "page" | "media"): Promise<Found<FoundPage | FoundMedia>> {
    return tracedRequest(
      this.settings.tracer,
      "read another site",
      ({ traceparent }) => this.#askProcess({ url, kind, traceparent }),
      (found) => (found === "undone" ? "the process ended" : undefined),
    );
  }

  #askProcess(question: {
    url: string;
    kind: "page" | "media";
    traceparent: string | undefined;
  }): Promise<Found<FoundPage | FoundMedia>> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const id = ++this.#taskId;
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    return new Promise((resolve) => {
      const overdue = setTimeout(() => child === this.#child && this.#end(), overdueMs).unref();
      this.#asked.set(id, (found) => {
        clearTimeout(overdue);
        this.#asked.delete(id);
        if (this.#asked.size === 0) this.#idle = setTimeout(() => this.#end(), idleMs).unref();
        resolve(found);
      });
      // A process that has just died says so by `exit`.
      const { alsoAllowed, userAgent } = this.settings;
      child.send({ id, ...question, alsoAllowed, userAgent }, () => {});
    });
  }

  #start(): ChildProcess {
    const child = startIsolated("./fetch-process.mjs", import.meta.url, (gone) => {
      if (gone === this.#child) this.#end();
    });
    child.on("message", ({ id, found }: { id: number; found?: FoundPage | FoundMedia }) =>
      this.#asked.get(id)?.(found),
    );
    return child;
  }

  /** Ends the process; whoever waits for it hears that nothing was found out. */
  #end(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    for (const done of [...this.#asked.values()]) done("undone");
    // The last of them has set it.
    clearTimeout(this.#idle);
  }
}
