/** Thumbnails of pictures, drawn in a process of their own (`picture-process.mjs`), one at a time. */
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Picture } from "../../storage/messages/attachments.ts";
import { startIsolated } from "../server/isolated-process.ts";
import type { Programs } from "./programs.ts";

/** Pixels that a drawing has at most. */
interface Size {
  name: string;
  width: number;
  height: number;
}

export interface Sizes {
  still: Size;
  animated: Size;
  /** For what browsers do not show; its name is told by its own size. */
  transcoded: Omit<Size, "name">;
}

export interface Made {
  picture: Picture;
  /** Name of a format → bytes, all of them WebP. */
  drawn: Record<string, Uint8Array>;
}

/** undefined: the file is no picture that can be shown. `busy`: too many wait, or the process ended. */
export type Outcome = Made | undefined | "busy";

/** How a picture is drawn anew. */
export interface Drawing {
  name: string;
  width: number;
  height: number;
  /** `cover` cuts off what is too much of one side, `contain` adds what lacks, `inside` keeps the proportions. */
  fit: "cover" | "contain" | "inside";
  /** Without one: GIF if the picture moves, else PNG. */
  format?: "png" | "gif" | "jpeg" | "webp" | undefined;
  isAnimated?: boolean;
}

export interface Redrawing {
  /** Absolute path of a file, or its bytes. */
  source: string | Uint8Array;
  drawings: readonly Drawing[];
}

export interface Redrawn {
  /** Whether there is more than one frame, and a drawing shows them. */
  moves: boolean;
  /** Name of a drawing → bytes. */
  drawn: Record<string, Uint8Array>;
}

interface Task {
  question: object;
  done(outcome: unknown): void;
}

/** Pictures that wait; each is a request that waits. */
const maxWaiting = 32;
/** Of those that are stored already nobody can add any. */
const maxStoredWaiting = 1000;
/** A picture that takes longer was made to. */
const patienceMs = 60_000;
/** The process is ended when it had nothing to do for so long: it holds some 60 MB. */
const idleMs = 30_000;

export class PictureMaker {
  #child: ChildProcess | undefined;
  #running: Task | undefined;
  readonly #waiting: Task[] = [];
  /** Files that are being drawn anew: many ask for the same one at once. */
  readonly #redrawing = new Map<string, Promise<Redrawn | "too large" | "busy" | undefined>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly sizes: Sizes,
    readonly programs: Programs,
  ) {}

  /**
   * What a file shows, and its thumbnails.
   *
   * @param file absolute path
   * @param only the one format that is wanted; undefined: all that there are of this picture
   */
  make(file: string, only?: string): Promise<Outcome> {
    const { sizes, programs } = this;
    const scratch = join(tmpdir(), `parley-picture-${randomUUID()}`);
    const made = this.#ask({ file, only, sizes, programs, scratch }, maxWaiting) as Promise<Outcome>;
    // A process that was ended has left its own.
    return programs.heifConvert === undefined
      ? made
      : made.finally(() => rm(scratch, { recursive: true, force: true }));
  }

  /** Draws a picture anew, so that nothing else that was in its file is left. undefined: it is none. */
  redraw({ source, drawings }: Redrawing): Promise<Redrawn | "too large" | "busy" | undefined> {
    type Answer = Promise<Redrawn | "too large" | "busy" | undefined>;
    if (typeof source !== "string") return this.#ask({ source, drawings }, maxWaiting) as Answer;
    const known = this.#redrawing.get(source);
    if (known) return known;
    const answer = this.#ask({ source, drawings }, maxStoredWaiting) as Answer;
    this.#redrawing.set(source, answer);
    return answer.finally(() => this.#redrawing.delete(source));
  }

  #ask(question: object, waiting: number): Promise<unknown> {
    if (this.#isClosed || this.#waiting.length >= waiting) return Promise.resolve("busy");
    return new Promise((done) => {
      this.#waiting.push({ question, done });
      this.#next();
    });
  }

  /** Whatever waits is told `busy`. */
  close(): void {
    this.#isClosed = true;
    for (const task of this.#waiting.splice(0)) task.done("busy");
    this.#end("busy");
  }

  #next(): void {
    if (this.#running) return;
    clearTimeout(this.#timer);
    this.#running = this.#waiting.shift();
    if (!this.#running) {
      this.#timer = setTimeout(() => this.#end("busy"), idleMs).unref();
      return;
    }
    this.#child ??= this.#start();
    this.#timer = setTimeout(() => this.#end(undefined), patienceMs).unref();
    // A process that has just died says so by `exit`.
    this.#child.send(this.#running.question, () => {});
  }

  #start(): ChildProcess {
    // A picture that ends its process is none.
    const child = startIsolated("./picture-process.mjs", import.meta.url, (gone) => {
      if (gone !== this.#child) return;
      this.#child = undefined;
      this.#answer(undefined);
    });
    child.on("message", (answer: { made?: unknown }) => {
      if (child === this.#child) this.#answer(answer.made);
    });
    return child;
  }

  #answer(outcome: unknown): void {
    const task = this.#running;
    this.#running = undefined;
    task?.done(outcome);
    if (!this.#isClosed) this.#next();
  }

  #end(outcome: "busy" | undefined): void {
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    if (this.#running) this.#answer(outcome);
  }
}
