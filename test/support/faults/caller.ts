/** Somebody who asks for one thing again and again, over one connection or over a new one each time. */
import { Agent, request } from "node:http";

interface CallerOptions {
  url: string;
  keepAlive: boolean;
  headers?: Readonly<Record<string, string>>;
  /** What to post, by its number, as a form. It asks with GET otherwise. */
  bodyOf?(number: number): string;
  /** A 503 that may be tried again and says that nothing was done is no failure. */
  mayBeRefused?: boolean;
}

export class Caller {
  /** The bodies of those that succeeded. */
  readonly done: string[] = [];
  readonly failures: string[] = [];
  #isStopped = false;
  #ended: Promise<void> | undefined;
  readonly #agent: Agent;

  constructor(private readonly options: CallerOptions) {
    this.#agent = new Agent({ keepAlive: options.keepAlive, maxSockets: 1 });
  }

  start(): void {
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#ended;
    this.#agent.destroy();
  }

  async #run(): Promise<void> {
    const { url, bodyOf, mayBeRefused = false } = this.options;
    for (let number = 0; !this.#isStopped; number++) {
      const body = bodyOf?.(number);
      try {
        const { status, mayRetry, text } = await this.#ask(body);
        const isRefused = mayBeRefused && status === 503 && mayRetry && /nothing was done/i.test(text);
        if (status === 200) this.done.push(body ?? "");
        else if (!isRefused) this.failures.push(`${url} ${body ?? ""}: ${status} ${text}`);
      } catch (error) {
        this.failures.push(`${url} ${body ?? ""}: ${(error as Error).message}`);
      }
    }
  }

  #ask(body: string | undefined): Promise<{ status: number; mayRetry: boolean; text: string }> {
    const { url, headers } = this.options;
    const type = body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
    const method = body === undefined ? "GET" : "POST";
    return new Promise((done, failed) => {
      const asked = request(url, { agent: this.#agent, headers: { ...headers, ...type }, method }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        answer.once("error", failed).once("end", () => {
          done({ status: answer.statusCode!, mayRetry: answer.headers["retry-after"] !== undefined, text });
        });
      });
      asked.once("error", failed).end(body);
    });
  }
}
