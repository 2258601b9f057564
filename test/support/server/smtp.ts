/** A mail server on loopback that keeps what it is given. */
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll } from "vitest";
import { until } from "../time/until.ts";

/** An email as it came. */
export interface Mail {
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
  id: string;
  header(name: string): string | undefined;
}

/** What becomes of an email: 250 when undefined, else this code; "hang": no answer until `release`. */
type Verdict = number | "hang" | undefined;

/** One that runs while the tests of the calling file or `describe` do. */
export function testSmtp(): TestSmtp {
  const smtp = new TestSmtp();
  beforeAll(() => smtp.start());
  afterAll(() => smtp.stop());
  return smtp;
}

export class TestSmtp {
  /** What was taken, in order. */
  readonly mails: Mail[] = [];
  /** How many connections there were. */
  connections = 0;
  /** How many emails were given to it in full, whatever it answered. */
  offered = 0;
  /** Asked of each email when it has come in full. */
  verdict: (to: string) => Verdict = () => undefined;
  /** Asked of each recipient. */
  refuses: (to: string) => number | undefined = () => undefined;
  #server: SMTPServer | undefined;
  #port = 0;
  readonly #held: (() => void)[] = [];

  /** For `PARLEY_SMTP_URL`; the same after it was away. */
  get url(): string {
    return `smtp://127.0.0.1:${this.#port}`;
  }

  /** Settings of a server that sends by it. */
  get environment(): Record<string, string> {
    return { PARLEY_SMTP_URL: this.url, PARLEY_MAIL_FROM: "chat@example.org" };
  }

  async start(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onConnect: (_session, done) => {
        this.connections++;
        done();
      },
      onRcptTo: ({ address }, _session, done) => {
        const code = this.refuses(address);
        done(code === undefined ? null : refusal(code));
      },
      onData: (stream, session, done) => {
        const pieces: Buffer[] = [];
        stream.on("data", (piece: Buffer) => pieces.push(piece));
        stream.on("end", () => {
          const to = session.envelope.rcptTo[0]!.address;
          const verdict = this.verdict(to);
          const take = () =>
            void PostalMime.parse(Buffer.concat(pieces)).then((email) => {
              this.mails.push(mailOf(to, email));
              done();
            });
          this.offered++;
          if (verdict === "hang") this.#held.push(take);
          else if (verdict !== undefined) done(refusal(verdict));
          else take();
        });
      },
    });
    // A client that dies is what some tests are about.
    server.on("error", () => {});
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (server.server.address() as AddressInfo).port;
  }

  /** Is away, until `start`. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(resolve));
  }

  /** Waits for emails to an address, and returns them. */
  async to(address: string, count = 1): Promise<Mail[]> {
    const got = () => this.mails.filter(({ to }) => to === address);
    await until(`${count} emails to ${address}`, () => got().length >= count, 60_000);
    return got();
  }
}

const refusal = (code: number) => Object.assign(new Error("not taken: https://chat/secret"), { responseCode: code });

function mailOf(to: string, email: Email): Mail {
  return {
    to,
    from: email.from?.address ?? "",
    subject: email.subject ?? "",
    text: email.text ?? "",
    html: email.html ?? "",
    id: email.messageId ?? "",
    header: (name) => email.headers.find(({ key }) => key === name.toLowerCase())?.value,
  };
}

/** The first address in a text that begins so. */
export function linkIn(text: string, path: string): string {
  const found = text.split(/\s/).find((word) => word.includes(path));
  if (found === undefined) throw new Error(`no link to ${path} in: ${text}`);
  return found;
}
