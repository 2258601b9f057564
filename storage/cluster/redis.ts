/** Connections to Redis: the only file that knows the client's ways of failing. */
import { Redis } from "ioredis";
import { CoordinationUnavailable } from "./lease.ts";
import { readRedisUrl } from "./redis-url.ts";

/** Long enough for a Redis under load, short enough that nobody waits for one that is gone. */
const commandTimeoutMs = 2000;

export interface RedisConnection {
  /** Runs one command. @throws CoordinationUnavailable when Redis cannot be reached or does not answer in time */
  run<T>(command: (client: Redis) => Promise<T>): Promise<T>;
  readonly client: Redis;
  close(): void;
}

/** Whether Redis refused a command because somebody else has put something of another kind under that key. */
export function isSpoilt(error: unknown): boolean {
  return error instanceof CoordinationUnavailable && /WRONGTYPE|last possible ID|equal or smaller/.test(error.message);
}

/** What the client says of a command that it kept because there was no connection. */
const neverSent = /^Stream isn't writeable/;

/**
 * Connects, and connects again whenever the connection is lost. Commands fail at once meanwhile. A connection on which
 * a command gets no answer counts as lost: it may be one that nobody has told of its end.
 */
export function connectRedis(
  url: string,
  options: {
    /** For a connection that waits inside commands: for how long. */
    blockMs?: number;
    onError?: ((error: Error) => void) | undefined;
  } = {},
): RedisConnection {
  const client = new Redis({
    ...readRedisUrl(url),
    // One that was the master and is not any more: the connection made anew is to whoever is.
    reconnectOnError: (error) => /^READONLY /.test(error.message),
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // Nobody knows whether a command that was cut off has been carried out: it is not for us to do it twice.
    autoResendUnfulfilledCommands: false,
    // The client's own way leaves a failure to nobody, which would end the process.
    autoResubscribe: false,
    connectTimeout: 2000,
    ...(options.blockMs === undefined && { commandTimeout: commandTimeoutMs }),
    socketTimeout: commandTimeoutMs + (options.blockMs ?? 0),
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
  });
  client.on("error", (error: Error) => options.onError?.(error));
  return {
    client,
    async run(command) {
      try {
        return await command(client);
      } catch (error) {
        const { message } = error as Error;
        throw new CoordinationUnavailable(`Redis: ${message}`, neverSent.test(message));
      }
    },
    close: () => client.disconnect(),
  };
}

/** Resolves when the connection is up. @throws CoordinationUnavailable after `timeoutMs` */
export async function redisReady({ client }: RedisConnection, timeoutMs: number): Promise<void> {
  if (client.status === "ready") return;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CoordinationUnavailable("Redis could not be reached: check REDIS_URL.", true)),
      timeoutMs,
    );
    client.once("ready", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
