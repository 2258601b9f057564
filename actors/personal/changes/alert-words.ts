/** Alert words: messages that contain one of them alert the person. */

import type { UserId } from "../../../storage/ids.ts";
import { badRequest } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import { limits } from "../../realm/state/settings.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";

/** Words of one person. Each message is searched for all of them. */
export const maxAlertWords = 1000;

export interface AlertWordsArgs {
  userId: UserId;
  words: string[];
}

/** Adds words that are new, ignoring case. @throws BAD_REQUEST */
export const addAlertWords = command((tx: Tx, { userId, words }: AlertWordsArgs) => {
  const user = tx.user(userId);
  const known = new Set(user.alert_words.map((word) => word.toLowerCase()));
  const added: string[] = [];
  for (const given of words) {
    const word = given.trim();
    if (!isLine(word)) throw badRequest("Invalid character in alert_words");
    if (isLonger(word, limits.alertWord))
      throw badRequest(`alert_words contains a word that is too long (limit: ${limits.alertWord} characters)`);
    if (word === "" || known.has(word.toLowerCase())) continue;
    known.add(word.toLowerCase());
    added.push(word);
  }
  return putAlertWords(tx, userId, user.alert_words, [...user.alert_words, ...added]);
});

/** Removes words, ignoring case. Unknown words are ignored. */
export const removeAlertWords = command((tx: Tx, { userId, words }: AlertWordsArgs) => {
  const user = tx.user(userId);
  const gone = new Set(words.map((word) => word.trim().toLowerCase()));
  const rest = user.alert_words.filter((word) => !gone.has(word.toLowerCase()));
  return putAlertWords(tx, userId, user.alert_words, rest);
});

function putAlertWords(tx: Tx, userId: UserId, before: string[], words: string[]): { alert_words: string[] } {
  if (words.length > maxAlertWords) throw badRequest(`There can be at most ${maxAlertWords} alert words.`);
  if (words.length !== before.length) {
    tx.put("users", { ...tx.user(userId), alert_words: words });
    tx.event({ type: "alert_words", alert_words: words }, { to: "users", ids: [userId] });
  }
  return { alert_words: words };
}
