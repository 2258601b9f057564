/** Somebody else's web service, on this machine: it keeps what it is sent and answers what it is told to. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";

export interface ServiceRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ServiceAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export class WebService {
  readonly requests: ServiceRequest[] = [];
  /** Requests whose sender went before they were answered. */
  abandoned = 0;
  /** undefined: it never answers. */
  answer: (request: ServiceRequest) => ServiceAnswer | undefined | Promise<ServiceAnswer> = () => ({});
  readonly #server = createServer((request, response) => {
    let body = "";
    response.on("close", () => {
      if (!response.writableEnded) this.abandoned++;
    });
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", async () => {
      const seen = { method: request.method!, path: request.url!, headers: request.headers, body };
      this.requests.push(seen);
      const answer = await this.answer(seen);
      if (answer) response.writeHead(answer.status ?? 200, answer.headers).end(answer.body ?? "");
    });
  });

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Requests to one path. */
  at(path: string): ServiceRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  start(): Promise<void> {
    return new Promise((done) => this.#server.listen(0, "127.0.0.1", done));
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }
}

/** One for the tests of a file. */
export function webService(): WebService {
  const service = new WebService();
  beforeAll(() => service.start());
  afterAll(() => service.stop());
  return service;
}
