/** The mail server that takes this server's emails. */
import { createTransport, type SentMessageInfo, type Transporter } from "nodemailer";

export interface SmtpSettings {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps:`). */
  isSecure: boolean;
  /** Without TLS nothing is sent: somebody would read the password. */
  requiresTls: boolean;
  user: string | undefined;
  password: string | undefined;
  /** Whom emails are from. */
  from: { name: string; address: string };
}

/** An email as it goes out. */
export interface OutgoingEmail {
  /** Unique, the same with each attempt. */
  id: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Where one click, or a POST by the mail program, ends such emails. */
  unsubscribeUrl?: string | undefined;
  /** Where answers go. */
  replyTo?: string | undefined;
  /** Shown as its sender's name; undefined: the one of the setting. */
  fromName?: string | undefined;
  /** Emails with the same are one thread. Letters and digits. */
  thread?: string | undefined;
}

/**
 * What a mail server says by not taking an email. This one is refused for good, or is to come again, or nothing is
 * taken at present.
 */
export type NotTakenKind = "refused" | "later" | "away";

export class NotTaken extends Error {
  override name = "NotTaken";
  /** @param reason codes alone, for the log: a mail server quotes what it refuses, secret links too */
  constructor(
    readonly kind: NotTakenKind,
    readonly reason: string,
  ) {
    super(`the mail server did not take an email: ${reason}`);
  }
}

export interface Smtp {
  /** Resolves when the mail server has it. @throws NotTaken */
  send(email: OutgoingEmail): Promise<void>;
  close(): void;
}

/** A step of the conversation that takes longer does not come to an end any more. */
const stepTimeoutMs = 30_000;

const isAddress = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

/**
 * Reads `smtp://user:password@host:587`.
 *
 * @throws Error whose message goes on after the name of the setting; it holds no password
 */
export function readSmtpUrl(text: string): Omit<SmtpSettings, "from"> {
  const shape = "must be like smtp://user:password@mail.example.com:587, or smtps:// for TLS from the first byte.";
  if (!URL.canParse(text)) throw new Error(shape);
  const url = new URL(text);
  const isSecure = url.protocol === "smtps:";
  if ((url.protocol !== "smtp:" && !isSecure) || url.hostname === "" || !/^\/?$/.test(url.pathname) || url.search)
    throw new Error(shape);
  const decoded = (part: string): string | undefined => {
    try {
      return part === "" ? undefined : decodeURIComponent(part);
    } catch {
      throw new Error("has a user or password with a % that begins no escape: write it as %25.");
    }
  };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const isHere = host === "localhost" || host === "::1" || /^127\./.test(host);
  return {
    host,
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    requiresTls: user !== undefined && !isSecure && !isHere,
    user,
    password,
  };
}

/** Reads whom emails are from: an address, or `Name <address>`. @throws Error as `readSmtpUrl` does */
export function readSender(text: string): SmtpSettings["from"] {
  const [, quoted, named] = /^(.*?)\s*<([^<>]*)>$/s.exec(text) ?? [];
  const address = (named ?? text).trim();
  const name = (quoted ?? "").replace(/^"(.*)"$/, "$1").trim();
  if (!isAddress.test(address) || address.length > 254 || name.length > 100 || /[\p{Cc}<>"]/u.test(name))
    throw new Error('must be an email address, or a name with one, like "Chat <chat@example.com>".');
  return { name, address };
}

/** Nothing is connected before the first email. */
export function openSmtp(settings: SmtpSettings): Smtp {
  const { host, port, isSecure, requiresTls, user, password, from } = settings;
  const transport: Transporter<SentMessageInfo> = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: requiresTls,
    ...(user !== undefined && { auth: { user, pass: password ?? "" } }),
    connectionTimeout: stepTimeoutMs,
    greetingTimeout: stepTimeoutMs,
    socketTimeout: stepTimeoutMs,
    dnsTimeout: stepTimeoutMs,
    // What an email is made of is given here; nothing in it names a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1);
  return {
    async send({ id, to, subject, text, html, unsubscribeUrl, replyTo, fromName, thread }) {
      const root = thread === undefined ? undefined : `<${thread}.thread.parley@${domain}>`;
      try {
        await transport.sendMail({
          // Mail with such an id is posted by no server of this kind: two could answer each other.
          messageId: `<${id}.parley@${domain}>`,
          from: fromName === undefined ? from : { name: fromName, address: from.address },
          ...(replyTo !== undefined && { replyTo: { name: "", address: replyTo } }),
          // The root was never sent. Mail programs group what names the same one.
          ...(root !== undefined && { inReplyTo: root, references: root }),
          to: { name: "", address: to },
          envelope: { from: from.address, to: [to] },
          subject,
          text,
          html,
          headers: {
            "Auto-Submitted": "auto-generated",
            ...(unsubscribeUrl !== undefined && {
              "List-Unsubscribe": { prepared: true, value: `<${unsubscribeUrl}>` },
              "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            }),
          },
        });
      } catch (error) {
        throw refusal(error as { code?: string; command?: string; responseCode?: number });
      }
    },
    close: () => transport.close(),
  };
}

interface Failure {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** What is said of the recipient or the content is about this email; the rest is about the mail server itself. */
function refusal({ code, command, responseCode }: Failure): NotTaken {
  const isAboutThis = command === "RCPT TO" || command === "DATA" || code === "EMESSAGE" || code === "ENCODE";
  const isFinal = responseCode === undefined || responseCode >= 500;
  const reason = [code ?? "unknown", command, responseCode].filter((part) => part !== undefined).join(" ");
  return new NotTaken(isAboutThis ? (isFinal ? "refused" : "later") : "away", reason);
}
