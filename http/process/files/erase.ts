/** `parley user erase`: a person's data, gone, with a report of what went and what stays. */
import { countBefore, type Left, whatStays, whatWent } from "../../../actors/erasure/report.ts";
import { walkErasure } from "../../../actors/erasure/walk.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { defined } from "../../../storage/failures.ts";
import { openFiles } from "../../../storage/files/open-files.ts";
import { findErasure } from "../../../storage/personal/erasures.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { accountIn } from "../accounts.ts";
import { type AdminResult, required, type Values, withRealm } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";
import { storedFilesOf } from "../node-parts.ts";

/** What the command says of kinds that are counted. Counts stand behind, so that they are right of one as well. */
const words: Readonly<Record<string, string>> = {
  messages: "messages that they wrote",
  mentions: "messages that mentioned them, which call them otherwise",
  reactions: "reactions",
  votes: "polls that they voted in",
  files: "files",
  rows: "rows of what they read, kept and chose",
  drafts: "drafts",
  scheduled: "scheduled messages and reminders",
  snippets: "saved snippets",
  sessions: "log-ins",
  devices: "devices",
};

/** @throws Error unless `--email` or `--id` name somebody */
function personIn(realm: ServedRealm, values: Values): UserRow {
  const user = values["id"] === undefined ? accountIn(realm, values) : realm.state.users.get(Number(values["id"]));
  if (!user) throw new Error(`There is no person with the number ${values["id"]}.`);
  if (user.is_bot) throw new Error(`${user.full_name} is a bot.`);
  return user;
}

function deletesMessagesIn({ messages }: Values): boolean | undefined {
  if (messages !== undefined && messages !== "keep" && messages !== "delete")
    throw new Error("--messages must be keep or delete.");
  return messages === undefined ? undefined : messages === "delete";
}

function backupDaysIn(values: Values): number | undefined {
  if (values["backup-days"] === undefined) return undefined;
  const days = required(values, "backup-days");
  if (!/^\d{1,5}$/.test(days)) throw new Error("--backup-days must be a number of days.");
  return Number(days);
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

const lineOfLeft = ({ what, count, why, until }: Left): string =>
  `  ${what}${count === undefined ? "" : ` (${count})`}: ${why}${until === undefined ? "" : `, until ${dateOf(until)}`}`;

const linesOf = (counts: Readonly<Record<string, number>>): string[] =>
  Object.entries(counts).flatMap(([kind, count]) => (count > 0 && words[kind] ? [`  ${words[kind]}: ${count}`] : []));

const profile = "  name, address, picture, profile, status, settings, alert words, password, keys, second factors";

/**
 * Erases a person's data. The account is deleted at once, the rest goes in parts. A command that was ended may be given
 * again, by the account's number; if nobody does, a node goes on within a minute.
 */
export function eraseUser(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const chosen = deletesMessagesIn(values);
  const backupDays = backupDaysIn(values);
  return withRealm(storage, config, values, async (realm) => {
    const user = personIn(realm, values);
    const { sql } = realm.database;
    const before = await findErasure(sql, realm.id, user.id);
    const deletesMessages = chosen ?? before?.deletes_messages ?? false;
    if (values["dry-run"] === true) {
      const { held_mentions, ...counts } = await countBefore(realm, user, deletesMessages);
      const since = realm.environment.clock();
      const stays = await whatStays(realm, user.id, { deletesMessages, counts: { held_mentions }, backupDays, since });
      const went = ["Would go:", profile, ...linesOf(counts), "Would stay:", ...stays.map(lineOfLeft)];
      return {
        text: [`Nothing was done. ${user.full_name} is user ${user.id}.`, ...went].join("\n"),
        data: { user_id: user.id, dry_run: true, deletes_messages: deletesMessages, would_go: counts, stays },
      };
    }
    const goesOn = before?.finished_at === null && before.deletes_messages === deletesMessages;
    if (!goesOn && values["confirm"] !== user.full_name)
      throw new Error(
        `Nothing was done. Nobody can bring the data back: say --confirm '${user.full_name}' if you mean it, or --dry-run.`,
      );
    await realm.execute("beginErasure", { personId: user.id, deletesMessages });
    console.error(`User ${user.id} is deleted. What they left goes in parts; --id ${user.id} goes on with it.`);
    const ended = await walkErasure(realm, user.id, storedFilesOf(openFiles(config)).storedUpload);
    const { counts, finished_at } = defined(ended, "erasure");
    const since = defined(finished_at, "end of the erasure");
    const stays = await whatStays(realm, user.id, { deletesMessages, counts, backupDays, since });
    const went = ["Gone:", profile, ...linesOf(whatWent({ counts })), "Stays:", ...stays.map(lineOfLeft)];
    return {
      text: [`The data of user ${user.id} is erased.`, ...went].join("\n"),
      data: { user_id: user.id, deletes_messages: deletesMessages, gone: whatWent({ counts }), stays },
    };
  });
}
