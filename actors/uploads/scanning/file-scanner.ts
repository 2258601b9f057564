/**
 * Who looks at uploads before anybody may read them: some at once, of all organizations that this node writes. While
 * nobody is there to be asked, nothing is asked for a while, and a while longer each time.
 */
import type { OpenedFile } from "../../../storage/files/file-store.ts";
import type { AttachmentId } from "../../../storage/ids.ts";
import type { Attachment } from "../../../storage/messages/attachments.ts";
import type { Verdict } from "./clamd.ts";

declare module "../../realm/environment.ts" {
  interface RealmEnvironment {
    /** Looks at uploads; undefined: nobody does. */
    fileScanner?: FileScanner | undefined;
  }
}

declare module "../../metrics.ts" {
  interface Metrics {
    /** Somebody looked at an upload, or tried to. */
    scanned(outcome: Verdict["is"]): void;
  }
}

/** clamd has ten threads unless told, and others may ask it. */
const atOnce = 4;
const firstPauseMs = 1_000;
/** A connection that fails costs little, and people wait. */
const longestPauseMs = 15_000;

interface Scans {
  ask(file: OpenedFile): Promise<Verdict>;
  /** What a file shows, for its thumbnails, which are made now. */
  examine(path: string, contentType: string): Promise<Attachment["image"]>;
}

export class FileScanner {
  readonly #underWay = new Set<AttachmentId>();
  #pauseMs = 0;
  #pausedUntilMs = 0;
  #isClosed = false;

  constructor(readonly scans: Scans) {}

  /** How many more may be looked at now. */
  get free(): number {
    return this.#isClosed || performance.now() < this.#pausedUntilMs ? 0 : atOnce - this.#underWay.size;
  }

  isUnderWay(id: AttachmentId): boolean {
    return this.#underWay.has(id);
  }

  /** Has `act` look at a file, which counts as under way meanwhile. @param fault told what went wrong, unless closed */
  begin(id: AttachmentId, act: () => Promise<void>, fault: (error: unknown) => void): void {
    this.#underWay.add(id);
    act()
      .catch((error: unknown) => {
        if (!this.#isClosed) fault(error);
      })
      .finally(() => this.#underWay.delete(id));
  }

  /** Asks about a file. */
  async ask(file: OpenedFile): Promise<Verdict> {
    const verdict = await this.scans.ask(file);
    if (verdict.is === "away") {
      this.#pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, this.#pauseMs * 2));
      this.#pausedUntilMs = performance.now() + this.#pauseMs;
    } else this.#pauseMs = 0;
    return verdict;
  }

  /** Begins nothing more, and tells of nothing that ends. */
  close(): void {
    this.#isClosed = true;
  }
}
