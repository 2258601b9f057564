/**
 * A way to an object store that puts files together as slowly as a test wants. Meanwhile the store knows their parts no
 * more, as versitygw with files of gigabytes.
 */
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface SlowStore {
  endpoint: string;
  /** From now on files are not put together. Resolves when the store is asked to. */
  hold(): Promise<void>;
  /** Has those put together that were asked for. */
  release(): void;
  stop(): Promise<void>;
}

const noSuchUpload = "<Error><Code>NoSuchUpload</Code></Error>";

/** @param endpoint the store's own */
export async function slowStore(endpoint: string): Promise<SlowStore> {
  const held = new Map<string, () => void>();
  let asked: (() => void) | undefined;
  const server = createServer((question, answer) => {
    const pass = (whenDone = () => {}) => {
      const { method, headers } = question;
      const passed = request(new URL(question.url!, endpoint), { method: method!, headers }, (reply) => {
        reply.on("end", whenDone);
        answer.writeHead(reply.statusCode!, reply.rawHeaders);
        reply.pipe(answer);
      });
      passed.on("error", () => answer.destroy());
      question.pipe(passed);
    };
    const id = new URL(question.url!, endpoint).searchParams.get("uploadId");
    if (id !== null && question.method === "POST" && asked) {
      held.set(id, () => pass(() => held.delete(id)));
      asked();
    } else if (id !== null && question.method === "GET" && held.has(id)) answer.writeHead(404).end(noSuchUpload);
    else pass();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: () => new Promise((resolve) => (asked = resolve)),
    release() {
      asked = undefined;
      for (const go of held.values()) go();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
