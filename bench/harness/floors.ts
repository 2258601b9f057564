import { join } from "node:path";
import type { Template } from "../floor/uws-longpoll.ts";
import { Child } from "./child.ts";
import { cpuMicroseconds } from "./cpu.ts";
import type { Setup } from "./setup.ts";

/** A raw uWebSockets.js server in a process of its own. */
export class Floor {
  private constructor(
    readonly child: Child,
    readonly port: number,
    /** Which uWebSockets.js it runs. */
    readonly build: string,
  ) {}

  static async start(setup: Setup, name: "uws-longpoll" | "uws-hello"): Promise<Floor> {
    const child = new Child({
      script: new URL(`../floor/${name}.js`, import.meta.url),
      logFile: join(setup.folder, `${name}.log`),
    });
    setup.atEnd(() => child.end());
    const { port, build } = await child.ask<{ port: number; build: string }>("listen");
    return new Floor(child, port, build);
  }

  get pid(): number {
    return this.child.pid;
  }

  /** Long-poll floor: answer as Parley answered. Returns the event id that polls begin at. */
  imitate(template: Template): Promise<number> {
    return this.child.ask("imitate", template);
  }

  /** Hello floor: answer with so many bytes. */
  answerBytes(count: number): Promise<void> {
    return this.child.ask("answerBytes", count);
  }

  cpuMicroseconds(): number {
    return cpuMicroseconds(this.pid);
  }
}
