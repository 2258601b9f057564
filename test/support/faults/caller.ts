/**
 * Somebody who asks for one thing again and again, over one connection or over a new one each time. A connection that
 * was reset before anything came back over it is made again, as HTTP clients do. Where `net.ipv4.tcp_migrate_req` is 0,
 * the kernel resets what a listener has not accepted at the moment it closes.
 */
import { Agent, request } from "node:http";

/** Each worker that is replaced closes one listener. */
const mostTries = 5;

interface CallerOptions {
  url: string;
  keepAlive: boolean;
  headers?: Readonly<Record<string, string>>;
  /** What to post, by its number, as a form. It asks with GET otherwise. */
  bodyOf?(number: number): string;
  /** A 503 that may be tried again and says that nothing was done is no failure. */
  mayBeRefused?: boolean;
}

interface Answer {
  status: number;
  mayRetry: boolean;
  text: string;
}

export class Caller {
  /** The bodies of those that succeeded. */
  readonly done: string[] = [];
  readonly failures: string[] = [];
  /** New connections that the kernel reset. */
  resets = 0;
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
        const { status, mayRetry, text } = await this.#heard(body);
        const isRefused = mayBeRefused && status === 503 && mayRetry && /nothing was done/i.test(text);
        if (status === 200) this.done.push(body ?? "");
        else if (!isRefused) this.failures.push(`${url} ${body ?? ""}: ${status} ${text}`);
      } catch (error) {
        this.failures.push(`${url} ${body ?? ""}: ${(error as Error).message}`);
      }
    }
  }

  async #heard(body: string | undefined): Promise<Answer> {
    for (let tries = 0; tries < mostTries; tries++) {
      const answer = await this.#ask(body);
      if (answer !== "reset") return answer;
      this.resets++;
    }
    throw new Error(`${mostTries} new connections in a row were reset`);
  }

  #ask(body: string | undefined): Promise<Answer | "reset"> {
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
      asked.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNRESET" && !asked.reusedSocket && (asked.socket?.bytesRead ?? 0) === 0) done("reset");
        else failed(error);
      });
      asked.end(body);
    });
  }
}
