/**
 * Takes mail from the operator's own mail server, by LMTP (RFC 2033) or SMTP, and makes messages of it. A recipient
 * that is no address of ours is refused when it is named. What is accepted was posted, or is dropped on purpose. An
 * answer of the kind 4xx has the mail server try again.
 */
import { once } from "node:events";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import { ApiError } from "../../actors/errors.ts";
import { findMailAddress, type MailAddress } from "../../actors/mail-in/mail-targets.ts";
import { FilesUnavailable, messageOf } from "../../storage/failures.ts";
import { StorageUnavailable, translate } from "../../storage/postgres.ts";
import type { App } from "../api/app.ts";
import { sharing } from "../server/builds/share-port.ts";
import type { MailInSettings } from "./mail-in-settings.ts";
import { MailReader, type ReceivedMail } from "./mail-reader.ts";
import { postMail } from "./post-mail.ts";
import { loopFault, maxHops } from "./sent-by.ts";

const maxClients = 8;
const maxRecipients = 50;
const socketTimeoutMs = 60_000;
/** How long stopping waits for mail that is under way. */
const closeTimeoutMs = 3000;

/** What a mail server is told: an answer of SMTP. */
class Answer extends Error {
  constructor(
    readonly responseCode: number,
    text: string,
  ) {
    // The protocol is ASCII, and each answer a line.
    super(text.replace(/[^ -~]+/g, "?").slice(0, 400));
  }
}

const tryAgain = () => new Answer(451, "4.3.0 Not now. Try again later.");

export interface MailServer {
  port: number;
  close(): Promise<void>;
}

/** Begins to listen. @throws Error when the port is taken */
export async function listenForMail(app: App, settings: MailInSettings, sharesPort: boolean): Promise<MailServer> {
  const { protocol, host, port } = settings.listen!;
  const gateway = new MailGateway(app, settings);
  const server = new SMTPServer({
    lmtp: protocol === "lmtp",
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    size: settings.maxBytes,
    rejectOversized: true,
    maxClients,
    maxRecipients,
    socketTimeout: socketTimeoutMs,
    closeTimeout: closeTimeoutMs,
    disableReverseLookup: true,
    onRcptTo: ({ address }, _session, done) => void gateway.checkRecipient(address).then(done),
    onData: (stream, session, done) =>
      void gateway.receive(stream, session).then((answers) => {
        if (protocol === "lmtp") done(null, answers);
        else done(...overall(answers));
      }),
  });
  // A mail server that goes away comes again.
  server.on("error", (error) => app.log.debug({ err: messageOf(error) }, "mail in"));
  server.server.listen({ host, port, ...sharing(sharesPort) });
  await once(server.server, "listening");
  const address = server.server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
      gateway.close();
    },
  };
}

/** SMTP has one answer for all recipients. One that tries again posts nothing twice. */
function overall(answers: readonly (string | Answer)[]): [Error | null, string?] {
  const failures = answers.filter((answer) => answer instanceof Answer);
  const failure =
    failures.find(({ responseCode }) => responseCode < 500) ??
    (failures.length === answers.length ? failures[0] : undefined);
  return failure ? [failure] : [null, "2.0.0 Accepted"];
}

class MailGateway {
  readonly #reader = new MailReader();

  constructor(
    private readonly app: App,
    private readonly settings: MailInSettings,
  ) {}

  close(): void {
    this.#reader.close();
  }

  async checkRecipient(address: string): Promise<Answer | null> {
    try {
      return (await findAddress(this.app, address)) ? null : new Answer(550, "5.1.1 There is no such address.");
    } catch (error) {
      return this.#answerOf(error);
    }
  }

  /** An answer for each recipient. */
  async receive(stream: SMTPServerDataStream, { envelope }: SMTPServerSession): Promise<(string | Answer)[]> {
    const recipients = envelope.rcptTo.map(({ address }) => address);
    const toAll = (answer: Answer) => recipients.map(() => answer);
    const share = this.app.bodies.open(() => "mail");
    try {
      const pieces: Buffer[] = [];
      const incoming: AsyncIterable<Buffer> = stream;
      for await (const piece of incoming) {
        if (stream.sizeExceeded) continue;
        share.take(piece.length);
        pieces.push(piece);
      }
      if (stream.sizeExceeded) return toAll(new Answer(552, "5.3.4 The mail is too large."));
      const raw = Buffer.concat(pieces);
      const mail = await this.#reader.read(raw);
      if (!mail) return toAll(new Answer(554, "5.6.0 The mail cannot be read."));
      if (mail.hops > maxHops) return toAll(new Answer(554, "5.4.6 The mail has passed too many servers."));
      const returnPath = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      const answers: (string | Answer)[] = [];
      for (const recipient of recipients) answers.push(await this.#post(recipient, returnPath, { mail, raw }));
      return answers;
    } catch (error) {
      stream.resume();
      return toAll(this.#answerOf(error));
    } finally {
      share.release();
    }
  }

  async #post(
    recipient: string,
    returnPath: string,
    received: { mail: ReceivedMail; raw: Uint8Array },
  ): Promise<string | Answer> {
    const { app, settings } = this;
    try {
      const address = await findAddress(app, recipient);
      const realm = address && (await app.system.realmById(address.realmId));
      if (!realm) return new Answer(550, "5.1.1 There is no such address.");
      const reason = loopFault(received.mail, returnPath, address.isReply);
      if (reason !== undefined) {
        app.log.info({ realm: realm.id, reason }, "a mail was dropped");
        return "2.0.0 Accepted";
      }
      if (!(await this.#counts(address, realm))) return new Answer(450, "4.7.1 Too many mails. Try again later.");
      await postMail(app, realm, address, received, settings.authserv);
      return "2.0.0 Accepted";
    } catch (error) {
      return this.#answerOf(error);
    }
  }

  /** Whether one more may come in. */
  async #counts(address: MailAddress, realm: Parameters<App["rateLimiters"]["of"]>[0]): Promise<boolean> {
    const limiter = this.app.rateLimiters.of(realm);
    const own = await limiter.takeShared("mail_in_by_address", address.key);
    return own.isAllowed && (await limiter.takeShared("mail_in_by_realm", address.realmId)).isAllowed;
  }

  #answerOf(thrown: unknown): Answer {
    const error = translate(thrown);
    if (error instanceof ApiError && error.status < 500)
      return error.status === 429 ? tryAgain() : new Answer(550, `5.7.1 ${error.message}`);
    const isExpected =
      error instanceof ApiError || error instanceof StorageUnavailable || error instanceof FilesUnavailable;
    if (!isExpected) this.app.log.error({ err: error }, "a bug kept a mail from becoming a message");
    return tryAgain();
  }
}

/**
 * Which organization has an address. Names of channels and replies are random, so one database at most has it.
 * @throws what a database says that is away, unless another one has the address: the sender tries again
 */
async function findAddress({ system }: App, address: string): Promise<MailAddress | undefined> {
  let failure: unknown;
  for (const { environment } of system.systems) {
    try {
      const found = await findMailAddress(environment, address);
      if (found) return found;
    } catch (error) {
      failure = error;
    }
  }
  if (system.systems.length < system.homes.length) failure ??= new StorageUnavailable("a database was not opened yet");
  if (failure !== undefined) throw failure;
  return undefined;
}
