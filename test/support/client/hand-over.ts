/** A mail server that hands mail over by LMTP, as Postfix does. */
import { connect } from "node:net";

/** Settings of a server to which `handOver` speaks: from `mx.example.org` it believes who has sent a mail. */
export const mailIn = {
  PARLEY_MAIL_IN_ADDRESS: "chat+%s@in.example.org",
  PARLEY_MAIL_IN_LISTEN: "lmtp://127.0.0.1:0",
  PARLEY_MAIL_IN_AUTHSERV: "mx.example.org",
  PARLEY_MAIL_IN_MAX_MIB: "2",
  PARLEY_RATE_LIMIT_MAIL_IN_BY_ADDRESS: "6/3600",
} as const;

export interface HandedMail {
  /** Envelope sender; empty: the mail is a notice of a mail server. */
  from: string;
  to: readonly string[];
  /** Lines by `\n`; sent as they are. */
  raw: string | Buffer;
}

/** Hands a mail over. Returns the answer for each recipient, in order: that to RCPT where it was refused. */
export async function handOver(port: number, { from, to, raw }: HandedMail): Promise<string[]> {
  const socket = connect(port, "127.0.0.1");
  const replies = repliesOf(socket);
  const say = async (line: string): Promise<string> => {
    socket.write(`${line}\r\n`);
    return replies();
  };
  try {
    await replies();
    await say("LHLO mx.example.net");
    await say(`MAIL FROM:<${from}>`);
    const answers: string[] = [];
    for (const address of to) answers.push(await say(`RCPT TO:<${address}>`));
    const accepted = answers
      .map((answer, index) => (answer.startsWith("2") ? index : -1))
      .filter((index) => index >= 0);
    if (accepted.length === 0) return answers;
    await say("DATA");
    const text = typeof raw === "string" ? raw : raw.toString("latin1");
    const stuffed = text.replace(/\r?\n/g, "\r\n").replace(/^\./gm, "..");
    socket.write(Buffer.from(`${stuffed}\r\n.\r\n`, typeof raw === "string" ? "utf8" : "latin1"));
    for (const index of accepted) answers[index] = await replies();
    return answers;
  } finally {
    socket.destroy();
  }
}

/** The next answer, each time; the last line of one of several lines. */
function repliesOf(socket: ReturnType<typeof connect>): () => Promise<string> {
  const lines: string[] = [];
  let waiting: { resolve(line: string): void; reject(error: Error): void } | undefined;
  let rest = "";
  let ended: Error | undefined;
  const end = (error: Error) => {
    ended = error;
    waiting?.reject(error);
  };
  socket.on("error", end);
  socket.on("close", () => end(new Error("the connection was closed")));
  socket.on("data", (piece) => {
    const parts = (rest + piece.toString("utf8")).split("\r\n");
    rest = parts.pop()!;
    for (const line of parts.filter((part) => !/^\d{3}-/.test(part))) {
      if (waiting) waiting.resolve(line);
      else lines.push(line);
      waiting = undefined;
    }
  });
  return () => {
    const line = lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (ended) return Promise.reject(ended);
    return new Promise((resolve, reject) => (waiting = { resolve, reject }));
  };
}
