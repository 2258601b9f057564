/**
 * Who has sent a mail, as far as the operator's own mail server found out, and whether it was sent by a person. SPF,
 * DKIM and DMARC are that server's work: it tells what it found in Authentication-Results (RFC 8601), and removes
 * headers of others that carry its name.
 */
import { upTo } from "../../storage/failures.ts";
import type { ReceivedMail } from "./mail-reader.ts";

/** Servers that a mail has passed. More is a loop (RFC 5321, 6.3). */
export const maxHops = 50;

interface Finding {
  method: string;
  result: string;
  properties: Map<string, string>;
}

/** `passes`: it is from the domain that From names. `fails`: it is not. */
export type Authenticity = "passes" | "fails" | "unknown";

/** @param host the name that the trusted server gives itself, its authserv-id */
export function authenticityOf({ authentication, from }: ReceivedMail, host: string): Authenticity {
  const findings = authentication.flatMap((header) => findingsOf(header, host));
  const domain = domainOf(from.address);
  const has = (method: string, result: string) =>
    findings.filter((finding) => finding.method === method && finding.result === result);
  if (has("dmarc", "fail").length > 0) return "fails";
  if (has("dmarc", "pass").length > 0) return "passes";
  const signers = has("dkim", "pass").map(({ properties }) =>
    domainOf(properties.get("header.d") ?? properties.get("header.i") ?? ""),
  );
  const senders = has("spf", "pass").map(({ properties }) => domainOf(properties.get("smtp.mailfrom") ?? ""));
  if ([...signers, ...senders].some((signer) => isAligned(signer, domain))) return "passes";
  return has("spf", "fail").length > 0 && signers.length === 0 ? "fails" : "unknown";
}

/** What one header says, if the trusted server wrote it. */
function findingsOf(header: string, host: string): Finding[] {
  const [name = "", ...clauses] = withoutComments(header).split(";");
  if (upTo(name.trim(), /\s+/).toLowerCase() !== host.toLowerCase()) return [];
  return clauses.map((clause) => {
    const [first = "", ...rest] = clause.trim().toLowerCase().split(/\s+/);
    const [method = "", result = ""] = first.split("=");
    const properties = new Map(
      rest.map((pair): [string, string] => {
        const [name = "", value = ""] = pair.replaceAll('"', "").split("=", 2);
        return [name, value];
      }),
    );
    return { method: upTo(method, "/"), result, properties };
  });
}

function withoutComments(header: string): string {
  let depth = 0;
  let text = "";
  for (const character of header) {
    if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) text += character;
  }
  return text;
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase();

const isAligned = (signer: string, domain: string): boolean =>
  signer !== "" && (signer === domain || domain.endsWith(`.${signer}`) || signer.endsWith(`.${domain}`));

/** The form of a Message-ID of any Parley's emails. */
const ownMessageId = /^<[0-9a-f-]{36}\.parley@/i;

/**
 * Why a mail is dropped without a word: an answer to it could be answered by a program again. Undefined: it is not.
 *
 * @param isReply it came to an address that only people answer to
 */
export function loopFault(mail: ReceivedMail, returnPath: string, isReply: boolean): string | undefined {
  const submitted = upTo(mail.autoSubmitted, ";").trim().toLowerCase();
  if (returnPath === "") return "it has no return path";
  if (ownMessageId.test(mail.messageId)) return "a server like this one has sent it";
  if (submitted === "auto-replied" || (isReply && submitted !== "" && submitted !== "no"))
    return "a program has sent it";
  if (isReply && (mail.isOfList || /^(?:bulk|junk|list|auto_reply)$/i.test(mail.precedence.trim())))
    return "it was sent to many";
  return undefined;
}
