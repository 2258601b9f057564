/**
 * Decodes operands of narrow terms into ids, channels and users that the reader may know of. All functions throw
 * BAD_NARROW.
 */
import type { MessageId, UserId } from "../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { errors } from "../errors.ts";
import { accessUser, accessUserByEmail, canSeeChannel } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";

const badNarrow = (desc: string) => errors.BAD_NARROW({ desc });

/** People in one term. No conversation is that large. */
const maxPeople = 1000;

export function text(operand: unknown): string {
  if (typeof operand !== "string") throw badNarrow("bad operand");
  return operand;
}

/** An id, as a number or in decimal digits. */
export function messageId(operand: unknown): MessageId {
  const id = typeof operand === "string" && /^\d{1,15}$/.test(operand.trim()) ? Number(operand) : operand;
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 0) throw badNarrow("invalid message ID");
  return id;
}

/** A channel by name or id. */
export function findChannel(state: RealmState, user: UserRow | undefined, operand: unknown): ChannelRow {
  if (typeof operand !== "string" && typeof operand !== "number") throw badNarrow("bad operand");
  const channel = typeof operand === "number" ? state.channels.get(operand) : state.channelByName(operand.trim());
  if (!channel || !canSeeChannel(state, channel, user))
    throw badNarrow(`unknown channel: ${String(operand).slice(0, 100)}`);
  return channel;
}

/** One user by id or e-mail. */
export function findUser(state: RealmState, user: UserRow | undefined, operand: unknown): UserRow {
  if (typeof operand !== "string" && typeof operand !== "number") throw badNarrow("bad operand");
  const unknown = () => badNarrow(`unknown user: ${String(operand).slice(0, 100)}`);
  if (!user) {
    // A spectator may name people by id only.
    const found = typeof operand === "number" ? state.users.get(operand) : undefined;
    if (!found) throw unknown();
    return found;
  }
  try {
    return typeof operand === "number" ? accessUser(state, user, operand) : accessUserByEmail(state, user, operand);
  } catch {
    throw unknown();
  }
}

/** An id, a list of ids, or e-mails separated by commas. Returns distinct ids, ascending. */
export function findPeople(state: RealmState, user: UserRow | undefined, operand: unknown): UserId[] {
  const people: unknown[] = Array.isArray(operand)
    ? operand
    : typeof operand === "string"
      ? operand.split(",").map((part) => part.trim())
      : [operand];
  if (people.length === 0 || people.length > maxPeople) throw badNarrow("bad operand");
  const ids = people.map((person) => findUser(state, user, person).id);
  return [...new Set(ids)].sort((a, b) => a - b);
}
