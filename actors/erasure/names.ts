/**
 * Calling somebody otherwise wherever messages mention them. A mention becomes a silent one of the account's new name.
 * Words that merely happen to be a name stay: nobody can tell whom they mean.
 */
import type { UserId } from "../../storage/ids.ts";
import type { EditHistoryEntry } from "../../storage/messages/messages.ts";
import { unescapeHtml } from "../markdown/rendering.ts";

export interface Renamed {
  userId: UserId;
  /** What the person was called. */
  before: readonly string[];
  /** What the account is called now. */
  now: string;
}

const mention = /@_?\*\*([^*\n]+)\*\*/g;
const withId = /^(.*)\|(\d+)$/;

const mentionSpan = ({ userId }: Renamed) =>
  new RegExp(`<span class="user-mention[^"]*" data-user-id="${userId}">([^<]*)</span>`, "g");

/** Mentions in a text as it was written. @param shown what its HTML calls the person */
export function renamedText(text: string, who: Renamed, shown: readonly string[] = []): string {
  const called = new Set([...who.before, ...shown].map((name) => name.toLowerCase()));
  return text.replace(mention, (whole, name: string) => {
    const [, , id] = withId.exec(name) ?? [];
    const isThem = id === undefined ? called.has(name.toLowerCase()) : Number(id) === who.userId;
    return isThem ? `@_**${who.now}|${who.userId}**` : whole;
  });
}

/** Mentions in HTML that the server made. */
export const renamedHtml = (html: string, who: Renamed): string =>
  html.replace(mentionSpan(who), `<span class="user-mention silent" data-user-id="${who.userId}">${who.now}</span>`);

/** What HTML calls the person. */
export const namesIn = (html: string, who: Renamed): string[] =>
  [...html.matchAll(mentionSpan(who))].map(([, text = ""]) => unescapeHtml(text.replace(/^@/, "")));

/** Earlier texts. */
export function renamedHistory(history: readonly EditHistoryEntry[] | null, who: Renamed): EditHistoryEntry[] | null {
  return (
    history?.map(({ prev_content: text, prev_rendered_content: html, ...edit }) => ({
      ...edit,
      ...(text !== undefined && { prev_content: renamedText(text, who, namesIn(html ?? "", who)) }),
      ...(html !== undefined && { prev_rendered_content: renamedHtml(html, who) }),
    })) ?? null
  );
}
