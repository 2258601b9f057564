/** Listens, and hands each request to the pipeline. */
import type { App } from "./app.ts";
import { Exchange } from "./exchange.ts";
import { serve } from "./pipeline.ts";
import { pollPath, pollServer } from "./poll.ts";
import type { HttpRequest, HttpResponse, us_listen_socket } from "./uws.ts";

export interface Listener {
  port: number;
  /** Takes no new connection; those there are go on. */
  close(): Promise<void>;
  /** Resolves when nothing was asked on any connection for a moment, or after `patienceMs`. */
  quiet(patienceMs: number): Promise<void>;
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

/** @throws Error when the port is taken */
export function listen(app: App, options: ListenOptions): Promise<Listener> {
  const { uws } = app.uws;
  const servePoll = pollServer(app);
  const isDraining = () => app.health.state === "draining";
  const isProxied = app.config.trustedProxies > 0;
  const { isDevelopment } = app.config;
  let underWay = 0;
  let lastAt = 0;
  const ended = () => {
    underWay--;
    lastAt = performance.now();
  };
  const serveAny = (res: HttpResponse, req: HttpRequest): void => {
    underWay++;
    const exchange = new Exchange(res, req, isDraining, isProxied, isDevelopment);
    exchange.isAtAdminAddress = options.isAdmin ?? false;
    void serve(app, exchange).then(ended);
  };
  const poll = (res: HttpResponse, req: HttpRequest): void => {
    if (!servePoll(res, req)) serveAny(res, req);
  };
  return new Promise((resolve, reject) => {
    uws
      .App()
      .get(pollPath, poll)
      // Builds differ in which of two routes wins that both match.
      .any("/*", (res, req) => (req.getUrl() === pollPath && req.getMethod() === "get" ? poll : serveAny)(res, req))
      .listen(
        options.host,
        options.port,
        options.sharePort ? 0 : uws.LIBUS_LISTEN_EXCLUSIVE_PORT,
        (socket: us_listen_socket | false) => {
          if (!socket) {
            reject(
              new Error(
                `Port ${options.port} on ${options.host} is taken or may not be used: set ${options.isAdmin ? "PARLEY_ADMIN_ADDRESS" : "PORT or HOST"}.`,
              ),
            );
            return;
          }
          resolve({
            port: uws.us_socket_local_port(socket),
            async close() {
              // The kernel resets connections that nobody has accepted yet: go when the loop has just looked for them.
              await new Promise((looked) => setImmediate(() => setImmediate(looked)));
              uws.us_listen_socket_close(socket);
              lastAt = performance.now();
            },
            async quiet(patienceMs) {
              const deadline = performance.now() + patienceMs;
              while ((underWay > 0 || performance.now() - lastAt < quietMs) && performance.now() < deadline)
                await new Promise((tick) => setTimeout(tick, 20));
            },
          });
        },
      );
  });
}
