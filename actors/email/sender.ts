/**
 * Sends what waits, on every node: an email is one node's as long as its transaction lasts. It is gone from the queue
 * when the mail server has said that it has it. A node that dies in between leaves the email to the next one, with the
 * same Message-ID. That is the only way in which somebody gets one twice: when the mail server's word was on its way.
 */

import { findLinkHolder, insertOneTimeLink } from "../../storage/email/one-time-links.ts";
import { claimDueEmail, deleteEmail, type EmailRow, isWanted, postponeEmail } from "../../storage/email/queue.ts";
import type { RealmId } from "../../storage/ids.ts";
import type { Database, Sql } from "../../storage/postgres.ts";
import type { Logger } from "../logger.ts";
import { type Letter, renderLetter } from "./letter.ts";
import { hashToken, newToken } from "./one-time-token.ts";
import { NotTaken, type Smtp } from "./smtp.ts";

/** How often the queue is looked at. */
const lookEveryMs = 1000;
/** An email that was not taken waits so long the first time, and twice as long each time after. */
const firstRetrySecs = 30;
const longestRetrySecs = 900;
/** While the mail server is away it is asked after so long, and after twice as long each time. */
const firstRestSecs = 2;
const longestRestSecs = 60;
/** How long stopping waits for an email that is under way. */
const stopPatienceMs = 3000;

export interface SenderParts {
  database: Database;
  smtp: Smtp;
  log: Logger;
  /** UNIX seconds */
  clock(): number;
  /** Address of the organization whose email it is. */
  urlOf(realmId: RealmId): string | undefined;
}

export class EmailSender {
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** How often in a row the mail server was away, and until when it is left alone: UNIX seconds. */
  #timesAway = 0;
  #restsUntil = 0;
  #working: Promise<void> = Promise.resolve();

  constructor(private readonly parts: SenderParts) {}

  start(): void {
    const look = () => {
      this.#working = this.#sendAll()
        .catch((error: unknown) => {
          if (!this.#isStopped) this.parts.log.warn({ err: error }, "emails were not sent");
        })
        .then(() => {
          if (!this.#isStopped) this.#timer = setTimeout(look, lookEveryMs);
        });
    };
    look();
  }

  /** Begins no more emails, and waits a moment for the one that is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    let patience: NodeJS.Timeout | undefined;
    await Promise.race([
      this.#working,
      new Promise<void>((resolve) => (patience = setTimeout(resolve, stopPatienceMs))),
    ]);
    clearTimeout(patience);
    this.parts.smtp.close();
  }

  async #sendAll(): Promise<void> {
    while (!this.#isStopped && (await this.parts.database.transaction((sql) => this.#sendOne(sql))));
  }

  /** Returns whether there may be another one to send now. */
  async #sendOne(sql: Sql): Promise<boolean> {
    const { log, clock } = this.parts;
    if (clock() < this.#restsUntil) return false;
    const email = await claimDueEmail(sql, clock());
    if (!email) return false;
    const url = this.parts.urlOf(email.realm_id);
    const about = { realm: email.realm_id, email: email.id, kind: email.kind };
    // Another node knows of an organization that this one has not heard of yet.
    if (url === undefined) {
      await postpone(sql, email, clock());
      return true;
    }
    if (email.expires_at <= clock()) {
      log.warn({ ...about, attempts: email.attempts }, "an email was given up: its time is over");
      await deleteEmail(sql, email.id);
      return true;
    }
    const addressed =
      (await isWanted(sql, email)) && (await addressedTo(this.parts.database, sql, email, url, clock()));
    if (!addressed) {
      await deleteEmail(sql, email.id);
      return true;
    }
    const letter = email.letter as Letter;
    const { unsubscribeUrl, replyTo, fromName, thread } = letter;
    try {
      await this.parts.smtp.send({
        id: email.message_id,
        to: addressed.to,
        ...renderLetter(letter, addressed.button),
        unsubscribeUrl,
        replyTo,
        fromName,
        thread,
      });
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      const { reason, kind } = error;
      if (kind === "refused") {
        log.warn({ ...about, reason }, "an email was given up: the mail server refused it for good");
        await deleteEmail(sql, email.id);
        return true;
      }
      log.warn({ ...about, reason, attempts: email.attempts + 1 }, "an email was not sent; it is tried again");
      await postpone(sql, email, clock());
      if (kind === "away")
        this.#restsUntil = clock() + Math.min(firstRestSecs * 2 ** Math.min(this.#timesAway++, 10), longestRestSecs);
      return kind === "later";
    }
    this.#timesAway = 0;
    await deleteEmail(sql, email.id);
    return true;
  }
}

async function postpone(sql: Sql, { id, attempts }: EmailRow, now: number): Promise<void> {
  await postponeEmail(sql, id, now + Math.min(firstRetrySecs * 2 ** Math.min(attempts, 10), longestRetrySecs));
}

/**
 * The recipient of an email, and the link in it, which is made here. Undefined: it is for nobody. Whether an account
 * has an address is looked up only here. Whoever asked for the email does not learn it from how long that took.
 */
async function addressedTo(
  database: Database,
  sql: Sql,
  email: EmailRow,
  url: string,
  now: number,
): Promise<{ to: string; button?: { label: string; url: string } } | undefined> {
  const { link } = email;
  if (!link) return { to: email.recipient };
  // Who joins is nobody's account yet: such an email goes to any address alike.
  const holder =
    link.purpose === "join"
      ? { id: null, email: email.recipient }
      : await findLinkHolder(sql, email.realm_id, { email: email.recipient, userId: link.userId });
  if (!holder) return undefined;
  // To a password's account as it spells its address: another spelling may be somebody else's.
  const to = link.purpose === "password" ? holder.email : email.recipient;
  const token = newToken();
  // Stored before the email goes: who is quick would find a link that is not good yet.
  await insertOneTimeLink(database.sql, {
    token_hash: hashToken(token),
    realm_id: email.realm_id,
    user_id: holder.id,
    invitation_id: link.invitationId ?? null,
    identity_id: link.identityId ?? null,
    purpose: link.purpose,
    email: to,
    expires_at: now + link.validSecs,
  });
  return { to, button: { label: link.label, url: `${url}${link.path}${token}/` } };
}
