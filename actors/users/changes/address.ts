/** People's addresses: which are taken, changing one, and changing who may see it. */
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { addressChangedLetter } from "../../email/letters.ts";
import { queueEmails } from "../../email/queue.ts";
import { badRequest } from "../../errors.ts";
import { apiEmail } from "../../realm/access.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { avatarFields, avatarUrl } from "../record.ts";
import { withSetting } from "../settings/setting-values.ts";
import { tellBot } from "./tell-bot.ts";

/** Characters. No mail server takes more. Source: RFC 5321, 4.5.3.1. */
export const maxEmailLength = 254;

/** @throws BAD_REQUEST */
export function checkEmail(email: string): string {
  const trimmed = email.trim();
  if (trimmed.length > maxEmailLength || !/^[^\s\p{C}@<>,;:"()[\]\\]+@[^\s\p{C}@<>,;:"()[\]\\]+$/u.test(trimmed))
    throw badRequest("Invalid address.");
  return trimmed;
}

/** Returns an address that `userId` may have (undefined: a new account). @throws BAD_REQUEST */
export function checkFreeEmail(state: RealmState, email: string, userId?: UserId): string {
  const checked = checkEmail(email);
  const holder = state.userByEmail(checked);
  if (holder && holder.id !== userId) throw badRequest(`Email '${checked}' already in use`);
  return checked;
}

/**
 * Gives an account an address that has passed `checkFreeEmail`; both addresses are told by email. Returns the row as it
 * will be.
 *
 * @param isConfirmed whether the address counts as confirmed, also one that stays the same
 */
export function changeEmail(tx: Tx, user: UserRow, email: string, isConfirmed: boolean): UserRow {
  const isSame = email === user.delivery_email;
  if (isSame && !(isConfirmed && user.has_unconfirmed_email)) return user;
  const next: UserRow = {
    ...user,
    delivery_email: email,
    has_unconfirmed_email: !isConfirmed,
    // A new version makes every node look up again whether a key belongs to an address.
    api_key_version: user.api_key_version + (isSame ? 0 : 1),
  };
  tx.put("users", next);
  if (isSame) return next;
  tellDeliveryEmail(tx, next, true);
  tellApiEmail(tx, user, next);
  if (next.avatar_source === "G") tellAvatar(tx, next);
  if (!user.is_bot) {
    const letter = addressChangedLetter(tx.state, user, email);
    for (const recipient of [user.delivery_email, email]) queueEmails(tx, { kind: "address", recipient, letter });
  }
  return next;
}

/** Changes who may see an account's address. Returns the row as it will be. */
export function changeEmailVisibility(tx: Tx, user: UserRow, visibility: number): UserRow {
  const next = { ...user, settings: withSetting(user.settings, "email_address_visibility", visibility) };
  tx.put("users", next);
  tx.event(
    { type: "user_settings", op: "update", property: "email_address_visibility", value: visibility },
    { to: "users", ids: [user.id] },
  );
  tellDeliveryEmail(tx, next, true);
  tellDeliveryEmail(tx, next, false);
  tellApiEmail(tx, user, next);
  // Those who do not see the address any more get another address of the picture.
  if (next.avatar_source === "G") tellAvatar(tx, next);
  return next;
}

/**
 * One event for those who see the address, and one for the others. `actors/event-queue/filter.ts` gives each reader
 * theirs.
 */
function tellDeliveryEmail(tx: Tx, user: UserRow, isShown: boolean): void {
  tx.event(
    {
      type: "realm_user",
      op: "update",
      person: { user_id: user.id, delivery_email: isShown ? user.delivery_email : null },
    },
    { to: "userViewers", userId: user.id },
  );
}

function tellApiEmail(tx: Tx, before: UserRow, after: UserRow): void {
  const new_email = apiEmail(tx.state, after);
  if (new_email === apiEmail(tx.state, before)) return;
  tx.event(
    { type: "realm_user", op: "update", person: { user_id: after.id, new_email } },
    { to: "userViewers", userId: after.id },
  );
}

/** Tells the new address of somebody's avatar. */
export function tellAvatar(tx: Tx, user: UserRow): void {
  tx.event(
    { type: "realm_user", op: "update", person: { user_id: user.id, ...avatarFields(tx.state, user) } },
    { to: "userViewers", userId: user.id },
  );
  if (user.is_bot) tellBot(tx, user, { avatar_url: avatarUrl(tx.state, user, user) });
}
