/** The log by parts of the server: each has a level of its own, which whoever runs the server changes while it runs. */
import type { Logger } from "pino";
import { type ChangeableLevels, type LogLevel, type LogModule, logModules } from "../../actors/logger.ts";
import { defined } from "../../storage/failures.ts";

export class LogLevels implements ChangeableLevels {
  readonly #loggers: ReadonlyMap<LogModule, Logger>;

  constructor(log: Logger) {
    this.#loggers = new Map(logModules.map((module) => [module, module === "server" ? log : log.child({ module })]));
  }

  of(module: LogModule): Logger {
    return defined(this.#loggers.get(module), "logger");
  }

  /** The level of each part. */
  all(): Record<string, string> {
    return Object.fromEntries([...this.#loggers].map(([module, { level }]) => [module, level]));
  }

  set(module: LogModule, level: LogLevel): void {
    this.of(module).level = level;
  }
}
