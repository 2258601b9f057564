/**
 * The addresses by which mail becomes messages, in the form of Zulip's mail gateway. The operator's pattern has `%s`
 * where the rest is put in:
 *
 *     general.0123…ef.show-sender    a channel: its name, a token of 32 hexadecimal digits, options
 *     mm0123…ef                      the answer to one email about missed messages
 *
 * Parts may be separated by `+` as well. The name says nothing, and may be left out.
 * https://zulip.com/help/message-a-channel-by-email
 */
import { randomBytes } from "node:crypto";
import { firstOf, lastOf } from "../../storage/failures.ts";

/** Characters of the part before the `@` (RFC 5321, 4.5.3.1.1). */
const maxLocalPart = 64;
const tokenBytes = 16;

/** How a channel's mail is shown. */
export interface MailOptions {
  showsSender: boolean;
  keepsQuotes: boolean;
  keepsFooter: boolean;
  prefersHtml: boolean;
}

export type MailTarget = { kind: "channel"; token: string; options: MailOptions } | { kind: "reply"; token: string };

declare module "../realm/state/state.ts" {
  interface ServerChoices {
    /** The pattern of addresses by which mail comes in; undefined: none does. */
    mailInAddress: string | undefined;
  }
}

const patternShape = /^[^\s@<>,;:"()[\]\\%]*%s[^\s@<>,;:"()[\]\\%]*@[^\s@<>,;:"()[\]\\%]+$/;

/** @throws Error whose message goes on after the name of the setting */
export function checkMailPattern(text: string): void {
  if (!patternShape.test(text) || text.indexOf("@") > 30)
    throw new Error("must be an address with %s in it, like %s@chat.example.com or chat+%s@example.com.");
}

export const newMailToken = (): string => randomBytes(tokenBytes).toString("hex");

/** The address that Zulip's clients are given for a channel. */
export function channelAddress(pattern: string, name: string, token: string): string {
  const rest = `.${token}.show-sender`;
  const room = maxLocalPart - (pattern.indexOf("@") - "%s".length) - rest.length;
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, Math.max(0, room))
    .replace(/^-+|-+$/g, "");
  return pattern.replace("%s", `${slug || "channel"}${rest}`);
}

export const replyAddress = (pattern: string, token: string): string => pattern.replace("%s", `mm${token}`);

/** What mail to an address is for. Undefined: it is none of ours. */
export function readMailAddress(pattern: string, address: string): MailTarget | undefined {
  if (pattern === "") return undefined;
  const [before = "", after = ""] = pattern.toLowerCase().split("%s");
  const whole = address.toLowerCase();
  if (whole.length > 320 || !whole.startsWith(before) || !whole.endsWith(after)) return undefined;
  const parts = whole.slice(before.length, whole.length - after.length).split(/[.+]/);
  const reply = parts.length === 1 ? /^mm([0-9a-f]{32})$/.exec(firstOf(parts)) : null;
  if (reply) return { kind: "reply", token: reply[1] ?? "" };
  const tokens = parts.filter((part) => /^[0-9a-f]{32}$/.test(part));
  if (tokens.length === 0) return undefined;
  return {
    kind: "channel",
    token: lastOf(tokens),
    options: {
      showsSender: parts.includes("show-sender"),
      keepsQuotes: parts.includes("include-quotes"),
      keepsFooter: parts.includes("include-footer"),
      prefersHtml: parts.includes("prefer-html"),
    },
  };
}
