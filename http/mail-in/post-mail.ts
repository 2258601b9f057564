/**
 * Makes a message of a mail, once for each address that it came to. The account that an address belongs to sends it, by
 * the rights that it has at that moment.
 */
import { createHash } from "node:crypto";
import { ApiError, badRequest, errors } from "../../actors/errors.ts";
import type { MailAddress } from "../../actors/mail-in/mail-targets.ts";
import { wasSent } from "../../actors/mail-in/sent-before.ts";
import type { ServedRealm } from "../../actors/realm/served.ts";
import { storable } from "../../actors/text/texts.ts";
import type { UserId } from "../../storage/ids.ts";
import type { App } from "../api/app.ts";
import { storeUpload } from "../resources/uploads/receive.ts";
import type { ReceivedMail } from "./mail-reader.ts";
import { messageOf, topicOf } from "./mail-text.ts";
import { authenticityOf } from "./sent-by.ts";

/** Messages that mail became are known by this name where a client's queue would stand. */
const queueId = "mail";

/**
 * Posts a mail. One that was posted before, and comes again because nobody heard of that, is not posted again.
 *
 * @param authserv name of the server whose word on the sender counts; undefined: nobody's does
 * @throws ApiError what its sender is told
 */
export async function postMail(
  app: App,
  realm: ServedRealm,
  address: MailAddress,
  { mail, raw }: { mail: ReceivedMail; raw: Uint8Array },
  authserv: string | undefined,
): Promise<void> {
  if (realm.state.row.is_deactivated) throw errors.REALM_DEACTIVATED();
  if (authserv !== undefined) {
    const authenticity = authenticityOf(mail, authserv);
    if (authenticity === "fails" || (address.isReply && authenticity !== "passes"))
      throw badRequest("Nothing shows that this mail is from the domain that its From names (SPF, DKIM, DMARC).");
  }
  const { userId, to, options } = await address.aim(realm, { from: mail.from, topic: topicOf(mail.subject) });
  const identity = mail.messageId === "" ? raw : mail.messageId;
  const local = {
    queue_id: queueId,
    local_id: createHash("sha256").update(address.key).update("\n").update(identity).digest("hex").slice(0, 32),
  };
  if (await wasSent(realm, userId, local)) return;
  const uploads = await storeAttachments(app, realm, userId, mail);
  try {
    const content = storable(messageOf(mail, uploads.lines, options));
    await realm.execute("sendMessage", { userId, to, content, client: "Internal", readBySender: true, local });
  } catch (error) {
    for (const remove of uploads.removals) await remove();
    throw error;
  }
}

interface StoredAttachments {
  /** A line of Markdown for each. */
  lines: string[];
  /** For a message that is refused. */
  removals: (() => Promise<void>)[];
}

async function storeAttachments(
  app: App,
  realm: ServedRealm,
  userId: UserId,
  mail: ReceivedMail,
): Promise<StoredAttachments> {
  const stored: StoredAttachments = { lines: [], removals: [] };
  let leftOut = mail.leftOut;
  for (const { name, type, bytes } of mail.attachments) {
    try {
      const { url, filename, remove } = await storeUpload(app, realm, userId, { name, type, bytes });
      stored.lines.push(`[${filename}](${url})`);
      stored.removals.push(remove);
    } catch (error) {
      // It is too large, or there is no room for it.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      leftOut++;
    }
  }
  if (leftOut > 0) stored.lines.push(`(${leftOut} attachments were left out: too many, or too large.)`);
  return stored;
}
