/** What a person has not read, from what they received and have read of each conversation, and the index. */
import type { ChannelId, MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import type { Lane } from "../../storage/messages/lanes.ts";
import { without } from "../../storage/messages/ranges.ts";
import type { UnreadConversation } from "../../storage/register.ts";
import type { MessageIndex } from "./message-index.ts";

/** Messages of one conversation that were received and not read, those too that the person sent. */
interface Open {
  recipientId: RecipientId;
  channelId: ChannelId | null;
  /** Their numbers in the index, ascending. */
  numbers: number[];
}

/**
 * A person's unread messages by conversation, that with the oldest first, as `findUnread` in `storage/register.ts`
 * finds them. Undefined: the index does not know enough.
 *
 * @param below only messages with lower ids count
 */
export function unreadIn(
  index: MessageIndex,
  lanes: readonly Lane[],
  userId: UserId,
  { max, below }: { max: number; below: MessageId },
): { conversations: UnreadConversation[]; isCut: boolean } | undefined {
  const opens: Open[] = [];
  let count = 0;
  let reachesBelowFloor = false;
  for (const lane of lanes) {
    const open = without(lane.received, lane.read);
    if (open.length === 0) continue;
    if (open[0]! < index.floor) reachesBelowFloor = true;
    const conversation = index.conversation(lane.recipientId);
    if (!conversation) continue;
    const numbers: number[] = [];
    let place = index.placeOf(conversation, open[0]!);
    for (let bound = 0; bound < open.length; bound += 2) {
      const start = open[bound]!;
      const end = Math.min(open[bound + 1]!, below);
      // Between two stretches lies what was read, often a single message.
      if (place < conversation.length && index.idAt(conversation.at(place)) < start) place++;
      if (place < conversation.length && index.idAt(conversation.at(place)) < start)
        place = index.placeOf(conversation, start);
      for (; place < conversation.length; place++) {
        const number = conversation.at(place);
        if (index.idAt(number) >= end) break;
        numbers.push(number);
      }
    }
    if (numbers.length === 0) continue;
    count += numbers.length;
    opens.push({ recipientId: lane.recipientId, channelId: conversation.channelId, numbers });
  }
  // Older ones are not told if these are too many already.
  if (reachesBelowFloor && count <= max) return undefined;
  const oldest = count > max ? oldestTold(opens, count - max) : 0;
  const topics = new Map<string, UnreadConversation>();
  for (const { recipientId, channelId, numbers } of opens) {
    const known = new Map<number, UnreadConversation>();
    for (const number of numbers) {
      if (number < oldest) continue;
      if (index.senderAt(number) === userId && index.isReadBySender(number)) continue;
      const key = index.topicKeyAt(number);
      let conversation = known.get(key);
      if (!conversation) {
        const topic = index.topicAt(number);
        conversation = { recipient_id: recipientId, channel_id: channelId, topic, ids: [], mentions: [] };
        known.set(key, conversation);
        topics.set(`${recipientId}:${key}`, conversation);
      }
      const id = index.idAt(number);
      const isMentioned = index.mentions(number, userId);
      if (isMentioned === undefined) return undefined;
      conversation.ids.push(id);
      if (isMentioned) conversation.mentions.push(id);
    }
  }
  return { conversations: [...topics.values()].sort((a, b) => a.ids[0]! - b.ids[0]!), isCut: count > max };
}

/** The number of the oldest message that is told when so many are left out. */
function oldestTold(opens: readonly Open[], leftOut: number): number {
  const all = new Uint32Array(opens.reduce((sum, { numbers }) => sum + numbers.length, 0));
  let end = 0;
  for (const { numbers } of opens) {
    all.set(numbers, end);
    end += numbers.length;
  }
  return all.sort()[leftOut]!;
}

/** The newest message that a person received, of those with lower ids than `below`; undefined: the index knows none. */
export function newestReceived(index: MessageIndex, lanes: readonly Lane[], below: MessageId): MessageId | undefined {
  let newest = -1;
  for (const { recipientId, received } of lanes) {
    const conversation = index.conversation(recipientId);
    if (!conversation) continue;
    for (let bound = received.length - 2; bound >= 0; bound -= 2) {
      const end = Math.min(received[bound + 1]!, below);
      const place = end === Number.POSITIVE_INFINITY ? conversation.length : index.placeOf(conversation, end);
      if (place === 0) continue;
      const id = index.idAt(conversation.at(place - 1));
      if (id < received[bound]!) continue;
      newest = Math.max(newest, id);
      break;
    }
  }
  return newest === -1 && index.floor > 0 ? undefined : newest;
}
