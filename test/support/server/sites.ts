/** Sites on addresses of this machine: the same pages at each, and what was asked of them. */
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export class TestSites {
  /** What is asked, by address of the site and path. */
  readonly asked: string[] = [];
  readonly #pages = new Map<string, RequestListener>();
  readonly #listeners: Server[] = [];
  #root = "";

  /** Listens on an address. @returns the root of its pages */
  async open(host: string): Promise<string> {
    const listener = createServer((request, response) => {
      this.asked.push(`${host}${request.url}`);
      const answer = this.#pages.get(request.url!);
      if (answer) answer(request, response);
      else response.writeHead(404).end();
    });
    this.#listeners.push(listener);
    await new Promise<void>((done) => listener.listen(0, host, done));
    const root = `http://${host}:${(listener.address() as AddressInfo).port}`;
    this.#root ||= root;
    return root;
  }

  /** Forgets all pages and what was asked. */
  clear(): void {
    this.asked.length = 0;
    this.#pages.clear();
  }

  /** @returns the address of the page at the site that was opened first */
  serve(path: string, answer: RequestListener): string {
    this.#pages.set(path, answer);
    return `${this.#root}${path}`;
  }

  page(path: string, html: string): string {
    return this.serve(path, (_request, response) => {
      response.setHeader("content-type", "text/html; charset=utf-8");
      response.end(html);
    });
  }

  /** A page that goes on until its reader has had enough. */
  endless(path: string, type: string, start: string): string {
    return this.serve(path, (_request, response) => {
      response.setHeader("content-type", type);
      response.write(start);
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#listeners.map((listener) => new Promise((done) => listener.close(done))));
  }
}
