/** Listens, and hands each request to the pipeline. */
import type { App } from "./app.ts";
import { Exchange } from "./exchange.ts";
import { serve } from "./pipeline.ts";
import { pollPath, pollServer } from "./poll.ts";
import type { us_listen_socket } from "./uws.ts";

export interface Listener {
  port: number;
  /** Takes no new connection; those there are finish what they began. */
  close(): void;
}

/** @throws Error when the port is taken */
export function listen(app: App, options: { host: string; port: number; sharePort: boolean }): Promise<Listener> {
  const { uws } = app.uws;
  const servePoll = pollServer(app);
  return new Promise((resolve, reject) => {
    uws
      .App()
      .any("/*", (res, req) => {
        if (req.getUrl() === pollPath && req.getMethod() === "get" && servePoll(res, req)) return;
        void serve(app, new Exchange(res, req));
      })
      .listen(
        options.host,
        options.port,
        options.sharePort ? 0 : uws.LIBUS_LISTEN_EXCLUSIVE_PORT,
        (socket: us_listen_socket | false) => {
          if (!socket) {
            reject(new Error(`Port ${options.port} on ${options.host} is taken or may not be used: set PORT or HOST.`));
            return;
          }
          resolve({ port: uws.us_socket_local_port(socket), close: () => uws.us_listen_socket_close(socket) });
        },
      );
  });
}
