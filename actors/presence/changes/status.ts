/** Statuses: a text and an emoji that people set for themselves. */

import type { UserId } from "../../../storage/ids.ts";
import type { ReactionType, UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { checkEmoji, emojiOf } from "../../messages/changes/reactions.ts";
import { isAdmin, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import { accessAccount } from "../../users/changes/update.ts";

export interface UpdateStatusArgs {
  actorId: UserId;
  /** The user whose status changes. An administrator may change anybody's. */
  userId: UserId;
  statusText?: string | undefined;
  emojiName?: string | undefined;
  emojiCode?: string | undefined;
  reactionType?: ReactionType | undefined;
}

type Status = UserRow["status"];
/** An empty value removes the old one. */
type StatusChange = Omit<Status, "reaction_type"> & { reaction_type?: ReactionType | "" };
const noEmoji: StatusChange = { emoji_name: "", emoji_code: "", reaction_type: "" };

/** Changes the given parts of a status. Empty parts are cleared. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export const updateStatus = command((tx: Tx, args: UpdateStatusArgs) => {
  const actor = tx.user(args.actorId);
  if (actor.id !== args.userId && !isAdmin(actor)) requireAdmin(actor);
  const user = accessAccount(tx.state, args.userId);
  const text = args.statusText?.trim();
  if (text !== undefined && !isLine(text)) throw badRequest("Invalid character in status_text");
  if (text !== undefined && isLonger(text, limits.statusText))
    throw badRequest(`status_text is too long (limit: ${limits.statusText} characters)`);
  const emoji = readEmoji(tx.state, args);
  if (text === undefined && emoji === undefined) throw badRequest("Client did not pass any new values.");
  const change = { ...(text !== undefined && { status_text: text }), ...emoji };
  const status = withoutEmpty({ ...user.status, ...change });
  if (isSame(status, user.status)) return {};
  tx.put("users", { ...user, status });
  tx.event({ type: "user_status", user_id: user.id, ...change }, { to: "userViewers", userId: user.id });
  return {};
});

/** @throws BAD_REQUEST */
function readEmoji(state: RealmState, args: UpdateStatusArgs): StatusChange | undefined {
  const { emojiName: name, emojiCode: code, reactionType } = args;
  if (name === undefined) {
    if (code || reactionType)
      throw badRequest("Client must pass emoji_name if they pass either emoji_code or reaction_type.");
    return undefined;
  }
  if (name === "") return noEmoji;
  if (!code) return emojiOf(state, name);
  const emoji = { emoji_name: name, emoji_code: code, reaction_type: reactionType ?? ("unicode_emoji" as const) };
  checkEmoji(state, emoji);
  return emoji;
}

function withoutEmpty(status: StatusChange): Status {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== ""));
}

function isSame(one: Status, other: Status): boolean {
  return (["status_text", "emoji_name", "emoji_code", "reaction_type"] as const).every(
    (field) => one[field] === other[field],
  );
}
