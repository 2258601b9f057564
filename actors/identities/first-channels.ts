/** The channels in which a newcomer begins because of their groups at a provider, beside those of everybody. */
import type { UserId } from "../../storage/ids.ts";
import { addSubscriptions } from "../channels/changes/subscribers.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";

/** Names that no channel has, or only an archived one, are passed over: settings may be older than the channels. */
export const joinFirstChannels = command(async (tx: Tx, { userId, names }: { userId: UserId; names: string[] }) => {
  const user = tx.user(userId);
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const channels = [...tx.state.channels.values()].filter(
    ({ name, is_archived }) => !is_archived && wanted.has(name.toLowerCase()),
  );
  await addSubscriptions(
    tx,
    channels.map((channel) => ({ channel, userIds: [user.id] })),
  );
  return {};
});
