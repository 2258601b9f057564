/** Reads mail in a process of its own (`mail-process.mjs`), one at a time. It is started by the first mail. */
import type { ChildProcess } from "node:child_process";
import { startIsolated } from "../server/isolated-process.ts";

/** A part of a text: by whoever sent it, or quoted, or below every mail of theirs. */
export interface Piece {
  kind: "own" | "quoted" | "footer";
  text: string;
}

export interface ReceivedMail {
  /** `count` is how many From headers there are: programs that read more than one disagree about which counts. */
  from: { name: string; address: string; count: number };
  subject: string;
  messageId: string;
  autoSubmitted: string;
  precedence: string;
  isOfList: boolean;
  /** Servers that it has passed. */
  hops: number;
  /** Values of the Authentication-Results headers. */
  authentication: string[];
  /** Its text, and the text of its HTML, as Markdown. */
  plain: Piece[];
  html: Piece[];
  attachments: { name: string; type: string; bytes: Uint8Array }[];
  /** Attachments beyond those. */
  leftOut: number;
}

/** Mail that takes longer was made to. */
const patienceMs = 20_000;
const idleMs = 30_000;

export class MailReader {
  #child: ChildProcess | undefined;
  #last = 0;
  #settle: ((mail: ReceivedMail | undefined) => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /** Undefined: it is no mail, or was made to be read by nobody. */
  read(raw: Uint8Array): Promise<ReceivedMail | undefined> {
    const reading = this.#turn.then(() => this.#ask(raw));
    this.#turn = reading;
    return reading;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#end();
  }

  async #ask(raw: Uint8Array): Promise<ReceivedMail | undefined> {
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    const task = ++this.#last;
    const overdue = setTimeout(() => child === this.#child && this.#end(), patienceMs).unref();
    try {
      return await new Promise<ReceivedMail | undefined>((settle) => {
        this.#settle = settle;
        // A process that has just died says so by `exit`.
        child.send({ task, raw }, () => {});
      });
    } finally {
      clearTimeout(overdue);
      this.#idle = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  #start(): ChildProcess {
    const child = startIsolated("./mail-process.mjs", import.meta.url, (gone) => {
      if (gone === this.#child) this.#end();
    });
    child.on("message", ({ task, mail }: { task: number; mail?: ReceivedMail }) => {
      if (child === this.#child && task === this.#last) this.#settle?.(mail);
    });
    return child;
  }

  /** Ends the process, and with it the mail that it has. */
  #end(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    this.#settle?.(undefined);
  }
}
