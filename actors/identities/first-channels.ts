/** The channels in which a newcomer begins because of their groups at a provider, beside those of everybody. */
import type { UserId } from "../../storage/ids.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import { addSubscriptions } from "../channels/changes/subscribers.ts";
import { command } from "../realm/command.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";

interface JoinArgs {
  userId: UserId;
  names: string[];
  /** Whether private ones are passed over. */
  isPublicOnly?: boolean;
}

/** Names that no channel has, or only an archived one, are passed over: settings may be older than the channels. */
export const joinFirstChannels = command(async (tx: Tx, { userId, names, isPublicOnly = false }: JoinArgs) => {
  const user = tx.user(userId);
  const channels = channelsNamed(tx.state, names).filter(({ invite_only }) => !(isPublicOnly && invite_only));
  await addSubscriptions(
    tx,
    channels.map((channel) => ({ channel, userIds: [user.id] })),
  );
  return {};
});

/** The channels of these names, in whatever case. None is archived. */
export function channelsNamed({ channels }: RealmState, names: readonly string[]): ChannelRow[] {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return [...channels.values()].filter(({ name, is_archived }) => !is_archived && wanted.has(name.toLowerCase()));
}
