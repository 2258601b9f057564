/** Where and how mail comes in, as the operator says it. */

export interface MailInSettings {
  /** Addresses by which mail comes in, with `%s` for what tells them apart. */
  pattern: string;
  /** Undefined: another node takes the mail. */
  listen: { protocol: "lmtp" | "smtp"; host: string; port: number } | undefined;
  /** The name in the Authentication-Results that count; undefined: none do. */
  authserv: string | undefined;
  maxBytes: number;
}

/** Reads `lmtp://127.0.0.1:2424`. @throws Error whose message goes on after the name of the setting */
export function readMailListen(text: string): NonNullable<MailInSettings["listen"]> {
  const [, protocol, host = "", port] = /^(lmtp|smtp):\/\/(\[[0-9a-f:]+\]|[\w.-]+):(\d{1,5})\/?$/i.exec(text) ?? [];
  if (protocol === undefined || Number(port) > 65_535)
    throw new Error("must be like lmtp://127.0.0.1:2424, or smtp:// where the mail server speaks no LMTP.");
  return {
    protocol: protocol.toLowerCase() === "lmtp" ? "lmtp" : "smtp",
    host: host.replace(/^\[|\]$/g, ""),
    port: Number(port),
  };
}
