/** Listens, and hands each request to the pipeline. */

import { type RoutedApp, replyError, serve } from "../api/pipeline.ts";
import type { HttpRequest, HttpResponse, UwsModule, us_listen_socket } from "./builds/uws-interface.ts";
import { Exchange, type Listening } from "./exchange.ts";
import { oddFraming } from "./framing.ts";
import { Gzip } from "./gzip.ts";
import { HeaderBlock, type Headers, jsonHeaders } from "./header-block.ts";
import { pollPath, pollServer } from "./poll.ts";

export interface Listener {
  port: number;
  /** Takes no new connection; those there are go on. */
  close(): Promise<void>;
  /**
   * Resolves when nothing is under way, and nothing was asked on any connection for a moment. With
   * `outlivesConnections` that is for as long as one may idle. At the latest when `performance.now()` is `until`.
   */
  quiet(until: number, outlivesConnections: boolean): Promise<void>;
}

export interface ListenOptions {
  host: string;
  port: number;
  sharePort: boolean;
  /** Whether only whoever runs the server asks here. */
  isAdmin?: boolean;
}

/** A client that has just been answered, or told to connect anew, asks again within this time or is idle. */
const quietMs = 250;
/** No build keeps a connection on which nothing is asked for longer (`builds/`). */
const longestIdleMs = 12_500;
/** While a look for connections took longer others may have come: the loop was busy, or the process did not run. */
const shortLookMs = 0.5;
/** For how long connections are looked for at most. */
const longestLookingMs = 1000;
/** After a pause a process has the most time before others are let run. */
const pauseMs = 5;
/** Between two looks at whether something is under way. */
const lookEveryMs = 20;

/** Has the loop look for connections, after a pause. Resolves with how long that took, in its own turn. */
function lookMs(pause: number): Promise<number> {
  return new Promise((looked) => {
    setTimeout(() => {
      const began = performance.now();
      setImmediate(() => looked(performance.now() - began));
    }, pause);
  });
}

/** Resolves when the loop has just looked for connections and found none: the kernel resets those it has not taken. */
async function untilNobodyWaits({ us_listen_socket_taken: taken }: UwsModule, socket: us_listen_socket): Promise<void> {
  const until = performance.now() + longestLookingMs;
  for (let before = taken?.(socket), pause = pauseMs; performance.now() < until; before = taken?.(socket)) {
    const isShort = (await lookMs(pause)) <= shortLookMs;
    const hasTaken = taken?.(socket) !== before;
    if (isShort && !hasTaken) return;
    // Our own build takes few in a turn: where one came, more may wait.
    pause = hasTaken ? 0 : pauseMs;
  }
}

/** Browsers that came by https once come by nothing else for a year. Source: RFC 6797. */
const httpsOnly: Headers = [["Strict-Transport-Security", "max-age=31536000"]];

/** Requests that are under way, and when there was one last. */
class Requests {
  #underWay = 0;
  #begun = 0;
  #lastAt = 0;

  begin(): void {
    this.#underWay++;
    this.#begun++;
  }

  readonly ended = (): void => {
    this.#underWay--;
    this.#lastAt = performance.now();
  };

  /** As if there had been one now. */
  touch(): void {
    this.#lastAt = performance.now();
  }

  /** Resolves when none was there for so long, at the latest when `performance.now()` is `until`. */
  async quiet(until: number, idleMs: number): Promise<void> {
    for (let seen = this.#begun; performance.now() < until; seen = this.#begun) {
      await new Promise((tick) => setTimeout(tick, lookEveryMs));
      // Time alone does not tell: what came while the process was not let run is only read now.
      await new Promise((looked) => setImmediate(() => setImmediate(looked)));
      if (this.#underWay > 0 || this.#begun > seen) this.touch();
      else if (performance.now() - this.#lastAt >= idleMs) return;
    }
  }
}

function listeningOf({ config, health }: RoutedApp): Listening {
  const strictTransport = config.externalUrl.startsWith("https:") ? httpsOnly : [];
  return {
    isDraining: () => health.state === "draining",
    isProxied: config.trustedProxies > 0,
    isDevelopment: config.isDevelopment,
    jsonHeaders: new HeaderBlock([...jsonHeaders, ...strictTransport]),
    strictTransport,
    gzip: new Gzip(),
  };
}

type Dispatch = (res: HttpResponse, req: HttpRequest, method: string, isPoll: boolean) => void;

/** Gives each request to whoever answers it. A bug in one ends its connection, and nothing else. */
function dispatcher(app: RoutedApp, requests: Requests, isAdmin: boolean): Dispatch {
  const servePoll = pollServer(app);
  const listening = listeningOf(app);
  const abandon = (res: HttpResponse, error: unknown): void => {
    app.log.error({ err: error }, "a bug ended a connection");
    try {
      res.close();
    } catch {
      // It is over already.
    }
  };
  const serveAny = (res: HttpResponse, req: HttpRequest, isLast: boolean): void => {
    const exchange = new Exchange(res, req, listening);
    exchange.isLast = isLast;
    requests.begin();
    exchange.isAtAdminAddress = isAdmin;
    serve(app, exchange, req)
      .catch((error: unknown) => abandon(res, error))
      .finally(requests.ended);
  };
  return (res, req, method, isPoll) => {
    try {
      const odd = oddFraming(req, method);
      if (odd === undefined) {
        if (!isPoll || !servePoll(res, req)) serveAny(res, req, false);
      } else if (odd === "chunked") serveAny(res, req, !app.uws.takesAll);
      else if (method === "head") res.close();
      else {
        const exchange = new Exchange(res, req, listening);
        exchange.isLast = true;
        replyError(app, exchange, odd);
      }
    } catch (error) {
      abandon(res, error);
    }
  };
}

/** @throws Error when the port is taken */
export function listen(app: RoutedApp, options: ListenOptions): Promise<Listener> {
  const { uws } = app.uws;
  const { host, port, isAdmin = false } = options;
  const requests = new Requests();
  const dispatch = dispatcher(app, requests, isAdmin);
  const listenerOn = (socket: us_listen_socket): Listener => ({
    port: uws.us_socket_local_port(socket),
    async close() {
      await untilNobodyWaits(uws, socket);
      uws.us_listen_socket_close(socket);
      requests.touch();
    },
    quiet: (until, outlivesConnections) => requests.quiet(until, outlivesConnections ? longestIdleMs : quietMs),
  });
  return new Promise((resolve, reject) => {
    uws
      .App()
      .get(pollPath, (res, req) => dispatch(res, req, "get", true))
      // Builds differ in which of two routes wins that both match.
      .any("/*", (res, req) => {
        const method = req.getMethod();
        dispatch(res, req, method, method === "get" && req.getUrl() === pollPath);
      })
      .listen(host, port, options.sharePort ? 0 : uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
        if (socket) resolve(listenerOn(socket));
        else {
          const variables = isAdmin ? "PARLEY_ADMIN_ADDRESS" : "PORT or HOST";
          reject(new Error(`Port ${port} on ${host} is taken or may not be used: set ${variables}.`));
        }
      });
  });
}
