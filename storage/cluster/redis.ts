/** Connections to Redis. Only this file knows how the client fails. */
import { Redis } from "ioredis";
import { messageOf } from "../failures.ts";
import { CoordinationUnavailable } from "./lease.ts";
import { readRedisUrl } from "./redis-url.ts";

/** Long enough for a Redis under load, and short enough for one that is gone. */
const commandTimeoutMs = 2000;
const connectAgainMs = 500;

export interface RedisConnection {
  /** Runs one command. @throws CoordinationUnavailable when Redis cannot be reached or does not answer in time */
  run<T>(command: (client: Redis) => Promise<T>): Promise<T>;
  readonly client: Redis;
  close(): void;
}

/** Whether Redis refused a command because somebody else has put a key of another kind there. */
export function isSpoilt(error: unknown): boolean {
  return error instanceof CoordinationUnavailable && /WRONGTYPE|last possible ID|equal or smaller/.test(error.message);
}

/** The client's error for a command that it never sent, without a connection. */
const neverSent = /^Stream isn't writeable/;

/**
 * Connects, and reconnects whenever the connection is lost. Commands fail at once meanwhile. A connection on which a
 * command gets no answer counts as lost, since the other end may have gone silently.
 */
export function connectRedis(
  url: string,
  options: {
    /** How long commands of this connection block in Redis. */
    blockMs?: number;
    onError?: ((error: Error) => void) | undefined;
  } = {},
): RedisConnection {
  const client = new Redis({
    ...readRedisUrl(url),
    // The server is no longer the master. A new connection goes to the master.
    reconnectOnError: (error) => /^READONLY /.test(error.message),
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // Nobody knows whether a command that was cut off has been done, so it must not be repeated.
    autoResendUnfulfilledCommands: false,
    // The client's own way leaves a failure to nobody, which would end the process.
    autoResubscribe: false,
    connectTimeout: 2000,
    ...(options.blockMs === undefined && { commandTimeout: commandTimeoutMs }),
    socketTimeout: commandTimeoutMs + (options.blockMs ?? 0),
    retryStrategy: (attempt) => Math.min(50 * attempt, 500),
  });
  client.on("error", (error: Error) => options.onError?.(error));
  let isClosed = false;
  // The client gives up for good when a Sentinel names another master while it is connecting. This connection does not.
  client.on("end", () => {
    setTimeout(() => {
      if (!isClosed) client.connect().catch(() => undefined);
    }, connectAgainMs).unref();
  });
  return {
    client,
    async run(command) {
      try {
        return await command(client);
      } catch (error) {
        const message = messageOf(error);
        throw new CoordinationUnavailable(`Redis: ${message}`, neverSent.test(message));
      }
    },
    close() {
      isClosed = true;
      client.disconnect();
    },
  };
}

/** Resolves when the connection is up. @throws CoordinationUnavailable after `timeoutMs`, or for a Redis Cluster */
export async function redisReady(connection: RedisConnection, timeoutMs: number): Promise<void> {
  await isUp(connection, timeoutMs);
  // An account that may not ask goes on without, as in the client's own check.
  const info = await connection.run((client) => client.info("cluster")).catch(() => "");
  // Keys of one organization would lie on different members, and no transaction spans them.
  if (/^cluster_enabled:1/m.test(info))
    throw new CoordinationUnavailable("REDIS_URL names a Redis Cluster. Name one Redis, or Sentinels.", true);
}

async function isUp({ client }: RedisConnection, timeoutMs: number): Promise<void> {
  if (client.status === "ready") return;
  let reason = "it does not answer";
  const note = (error: Error) => {
    reason = error.message;
  };
  client.on("error", note);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CoordinationUnavailable(`Redis could not be reached: ${reason}. Check REDIS_URL.`, true)),
      timeoutMs,
    );
    client.once("ready", () => {
      clearTimeout(timer);
      resolve();
    });
  }).finally(() => client.off("error", note));
}
