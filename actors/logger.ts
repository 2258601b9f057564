/** Where a node tells what happens to it. */
export interface Logger {
  /** Both left out: nobody wants to know all that. */
  isLevelEnabled?(level: "debug"): boolean;
  debug?(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** `server`: all that is of no other part. */
export const logModules = ["server", "http", "organizations", "cluster", "mail", "traces"] as const;
export type LogModule = (typeof logModules)[number];

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The levels of this node. */
export interface ChangeableLevels {
  /** By part. */
  all(): Record<string, string>;
  set(module: LogModule, level: LogLevel): void;
}
