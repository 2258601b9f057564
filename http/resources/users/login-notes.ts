/** What the audit log is told of log-ins and refusals. It never keeps anybody out or waiting. */
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "../../../actors/errors.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";

interface Asked {
  app: App;
  realm: ServedRealm;
}

/** Milliseconds that a log-in waits for its note. */
const notePatienceMs = 500;

/**
 * Notes that a person has logged in; the first time marks the account as used. Without a writer the log-in does not
 * fail: the note goes on in the background.
 *
 * @param how they showed who they are
 */
export async function noteLogin(asked: Asked, user: UserRow, how: string): Promise<void> {
  const { realm } = asked;
  const noted = told(asked, realm.execute("noteLogin", { userId: user.id, how }), "a log-in was not noted");
  await Promise.race([noted, delay(notePatienceMs, undefined, { ref: false })]);
}

/**
 * Notes that somebody was refused, in the background; of very many in a minute the first. What they typed is left out:
 * it may be a password.
 *
 * @param user whose account it was about, if there is one
 */
export function noteRefusal(asked: Asked, user: UserRow | undefined, how: string, reason: string): void {
  const { app, realm } = asked;
  if (!app.attempts.isAudited(realm.id, realm.environment.clock())) return;
  const fact = { type: "user_log_in_refused", userIds: user ? [user.id] : [], after: { how, reason } } as const;
  void told(asked, realm.execute("recordAudit", { fact }), "a refused log-in was not noted");
}

/** Resolves also when nothing can be changed right now, which is logged. */
function told({ app, realm }: Asked, noting: Promise<unknown>, what: string): Promise<unknown> {
  const noted = noting.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    app.log.warn({ realm: realm.id, err: error }, what);
  });
  noted.catch(() => {});
  return noted;
}
