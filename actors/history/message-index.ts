/**
 * The newest part of a realm's history, without its texts. Typed arrays have each message's conversation, topic, sender
 * and whom it mentions. A person's unread messages, and the messages that a narrow shows, are found here. PostgreSQL is
 * asked for older messages and other narrows.
 *
 * A message has a number, in order of id: its place in the columns. A conversation is the list of its messages'
 * numbers.
 */
import type { ChannelId, MessageId, RecipientId, UserId } from "../../storage/ids.ts";
import { Conversation } from "./conversation.ts";
import type { IndexChunk, IndexedMessage, MentionList } from "./indexed-message.ts";

/** Small, as most organizations are: a block is there as a whole from its first message on. */
const blockBits = 9;
const blockSize = 1 << blockBits;
/** So many are dropped at once, since each conversation is looked at for it. */
const blocksDropped = 16;
/** The number of the first message: others come before and after it. */
const middle = 1 << 30;
/** What a message takes: its columns, and twice its number in a list that may be half empty. */
const bytesPerMessage = 8 + 3 * 4 + 1 + 2 * 4;
const bytesPerName = 200;
const bytesPerMention = 16;

const readBySenderBit = 1;
const mentionBit = 2;
const goneBit = 4;

class Block {
  readonly ids = new Float64Array(blockSize);
  readonly recipients = new Uint32Array(blockSize);
  readonly topics = new Uint32Array(blockSize);
  readonly senders = new Uint32Array(blockSize);
  readonly bits = new Uint8Array(blockSize);
}

/** Where a message is, and the gap around it: from after the conversation's message before it to the one after it. */
export interface MessagePlace {
  recipientId: RecipientId;
  channelId: ChannelId | null;
  senderId: UserId;
  isReadBySender: boolean;
  /** undefined: only PostgreSQL knows. */
  first: MessageId | undefined;
  end: MessageId;
}

export class MessageIndex {
  #blocks: Block[] = [];
  #firstBlock = middle >>> blockBits;
  #first = middle;
  #end = middle;
  readonly #conversations = new Map<RecipientId, Conversation>();
  /** By topic, and by topic in lower case. */
  #topicNumbers = new Map<string, number>();
  #topicNames: string[] = [];
  /** Of the first spelling that came. */
  #topicKeys: number[] = [];
  readonly #mentions = new Map<MessageId, MentionList>();
  #mentionBytes = 0;
  /** Of messages below this id some are not held; of the others all. */
  floor = Number.POSITIVE_INFINITY;

  /** @param maxBytes above which the oldest messages are dropped */
  constructor(private readonly maxBytes: number) {}

  get size(): number {
    return this.#end - this.#first;
  }

  get bytes(): number {
    return (
      this.size * bytesPerMessage +
      (this.#topicNames.length + this.#conversations.size) * bytesPerName +
      this.#mentionBytes
    );
  }

  /** Infinite while none is held. */
  get lowestId(): MessageId {
    return this.size === 0 ? Number.POSITIVE_INFINITY : this.idAt(this.#first);
  }
  get highestId(): MessageId {
    return this.size === 0 ? 0 : this.idAt(this.#end - 1);
  }

  idAt(number: number): MessageId {
    return this.#blocks[(number >>> blockBits) - this.#firstBlock]!.ids[number & (blockSize - 1)]!;
  }
  senderAt(number: number): UserId {
    return this.#blocks[(number >>> blockBits) - this.#firstBlock]!.senders[number & (blockSize - 1)]!;
  }
  topicAt(number: number): string {
    return this.#topicNames[this.#blockOf(number).topics[number & (blockSize - 1)]!]!;
  }
  /** The same for topics that differ in case alone. */
  topicKeyAt(number: number): number {
    return this.#topicKeys[this.#blocks[(number >>> blockBits) - this.#firstBlock]!.topics[number & (blockSize - 1)]!]!;
  }
  isReadBySender(number: number): boolean {
    return (this.#blockOf(number).bits[number & (blockSize - 1)]! & readBySenderBit) !== 0;
  }
  /** Whether it mentions the person, by name, group or wildcard; undefined: only PostgreSQL knows. */
  mentions(number: number, userId: UserId): boolean | undefined {
    if ((this.#blockOf(number).bits[number & (blockSize - 1)]! & mentionBit) === 0) return false;
    const mentions = this.#mentions.get(this.idAt(number))!;
    return mentions.everybody || (mentions.userIds === undefined ? undefined : mentions.userIds.includes(userId));
  }

  /** What `topicKeyAt` gives for this topic; undefined: no message held has it. */
  topicKey(topic: string): number | undefined {
    const number = this.#topicNumbers.get(topicKeyOf(topic));
    return number === undefined ? undefined : this.#topicKeys[number];
  }

  conversation(recipientId: RecipientId): Conversation | undefined {
    return this.#conversations.get(recipientId);
  }

  /** A message that is held. */
  find(id: MessageId): MessagePlace | undefined {
    const [number] = this.#find([id]);
    const conversation = number === undefined ? undefined : this.#conversations.get(this.#recipientAt(number));
    if (number === undefined || !conversation) return undefined;
    const { recipientId, channelId } = conversation;
    const place = this.placeOf(conversation, id);
    const before = place > 0 ? this.idAt(conversation.at(place - 1)) : this.floor === 0 ? 0 : undefined;
    return {
      recipientId,
      channelId,
      senderId: this.senderAt(number),
      isReadBySender: this.isReadBySender(number),
      first: before === undefined ? undefined : before + 1,
      end: place + 1 < conversation.length ? this.idAt(conversation.at(place + 1)) : id + 1,
    };
  }

  /** How many of a conversation's messages have lower ids. */
  placeOf(conversation: Conversation, id: MessageId): number {
    let low = 0;
    let high = conversation.length;
    while (low < high) {
      const place = (low + high) >>> 1;
      if (this.idAt(conversation.at(place)) < id) low = place + 1;
      else high = place;
    }
    return low;
  }

  /** Adds a message newer than all. @returns whether it is: one that is not leaves the index useless */
  append(message: IndexedMessage): boolean {
    if (this.size > 0 && message.id <= this.highestId) return false;
    const number = this.#end++;
    if ((number >>> blockBits) - this.#firstBlock >= this.#blocks.length) {
      this.#blocks.push(new Block());
      this.#evict();
    }
    this.#write(number, message);
    this.#conversationOf(message).push(number);
    if (this.floor === Number.POSITIVE_INFINITY) this.floor = message.id;
    return true;
  }

  /** Adds the messages just below those held. */
  prepend(chunk: IndexChunk): void {
    let count = chunk.messages.length;
    const above = this.lowestId;
    while (count > 0 && chunk.messages[count - 1]!.id >= above) count--;
    const lists = new Map<Conversation, number[]>();
    const first = this.#first - count;
    while (this.#firstBlock > first >>> blockBits) {
      this.#blocks.unshift(new Block());
      this.#firstBlock--;
    }
    this.#first = first;
    for (let index = 0; index < count; index++) {
      const message = chunk.messages[index]!;
      this.#write(first + index, message);
      const conversation = this.#conversationOf(message);
      const list = lists.get(conversation);
      if (list) list.push(first + index);
      else lists.set(conversation, [first + index]);
    }
    for (const [conversation, numbers] of lists) conversation.unshift(Uint32Array.from(numbers));
    this.floor = chunk.isOldest ? 0 : Math.min(this.floor, this.lowestId);
  }

  /** Puts the messages among these that are held elsewhere. */
  move(
    ids: readonly MessageId[],
    to: { recipientId: RecipientId; channelId: ChannelId | null } | undefined,
    topic?: string,
  ): void {
    const numbers = this.#find(ids);
    if (numbers.length === 0) return;
    if (topic !== undefined) {
      const topicNumber = this.#topicNumber(topic);
      for (const number of numbers) this.#blockOf(number).topics[number & (blockSize - 1)] = topicNumber;
    }
    if (!to) return;
    const moved = numbers.filter((number) => this.#recipientAt(number) !== to.recipientId);
    this.#takeOut(moved);
    for (const number of moved) this.#blockOf(number).recipients[number & (blockSize - 1)] = to.recipientId;
    this.#conversationOf(to).merge(moved);
  }

  /** Deletes those among these messages that are in the channel, or, null, in direct conversations. */
  delete(ids: readonly MessageId[], channelId: ChannelId | null): void {
    const numbers = this.#find(ids).filter(
      (number) => this.#conversations.get(this.#recipientAt(number))?.channelId === channelId,
    );
    this.#takeOut(numbers);
    for (const number of numbers) {
      this.#blockOf(number).bits[number & (blockSize - 1)] = goneBit;
      this.#forgetMentions(this.idAt(number));
    }
  }

  setMentions(id: MessageId, mentions: MentionList | undefined): void {
    const [number] = this.#find([id]);
    if (number === undefined) return;
    this.#forgetMentions(id);
    const { bits } = this.#blockOf(number);
    const place = number & (blockSize - 1);
    bits[place] = (bits[place]! & ~mentionBit) | (mentions ? mentionBit : 0);
    if (mentions) this.#noteMentions(id, mentions);
  }

  /** The sender, if it is this person, has not read these. */
  setUnreadBySender(ids: readonly MessageId[], isSender: (userId: UserId) => boolean): void {
    for (const number of this.#find(ids)) {
      const { bits } = this.#blockOf(number);
      const place = number & (blockSize - 1);
      if (isSender(this.senderAt(number))) bits[place] = bits[place]! & ~readBySenderBit;
    }
  }

  #recipientAt(number: number): RecipientId {
    return this.#blockOf(number).recipients[number & (blockSize - 1)] as RecipientId;
  }

  #blockOf(number: number): Block {
    return this.#blocks[(number >>> blockBits) - this.#firstBlock]!;
  }

  /** The numbers of those of these messages that are held, ascending. */
  #find(ids: readonly MessageId[]): number[] {
    const numbers: number[] = [];
    for (const id of [...ids].sort((a, b) => a - b)) {
      let low = this.#first;
      let high = this.#end;
      while (low < high) {
        const place = Math.floor((low + high) / 2);
        if (this.idAt(place) < id) low = place + 1;
        else high = place;
      }
      if (low === this.#end || this.idAt(low) !== id) continue;
      if ((this.#blockOf(low).bits[low & (blockSize - 1)]! & goneBit) === 0) numbers.push(low);
    }
    return numbers;
  }

  #write(number: number, message: IndexedMessage): void {
    const block = this.#blockOf(number);
    const place = number & (blockSize - 1);
    block.ids[place] = message.id;
    block.recipients[place] = message.recipientId;
    block.topics[place] = this.#topicNumber(message.topic);
    block.senders[place] = message.senderId;
    const { mentions } = message;
    block.bits[place] = (message.readBySender ? readBySenderBit : 0) | (mentions ? mentionBit : 0);
    if (mentions) this.#noteMentions(message.id, mentions);
  }

  #conversationOf({ recipientId, channelId }: { recipientId: RecipientId; channelId: ChannelId | null }): Conversation {
    let conversation = this.#conversations.get(recipientId);
    if (!conversation) this.#conversations.set(recipientId, (conversation = new Conversation(recipientId, channelId)));
    return conversation;
  }

  #takeOut(numbers: readonly number[]): void {
    const byConversation = new Map<Conversation, Set<number>>();
    for (const number of numbers) {
      const conversation = this.#conversations.get(this.#recipientAt(number))!;
      const gone = byConversation.get(conversation);
      if (gone) gone.add(number);
      else byConversation.set(conversation, new Set([number]));
    }
    for (const [conversation, gone] of byConversation) conversation.removeAll(gone);
  }

  #topicNumber(topic: string): number {
    const known = this.#topicNumbers.get(topic);
    if (known !== undefined && this.#topicNames[known] === topic) return known;
    const number = this.#topicNames.push(topic) - 1;
    const key = topicKeyOf(topic);
    // The first spelling of a topic stands for all of them; its own number is its key.
    const keyNumber = this.#topicNumbers.get(key) ?? number;
    this.#topicKeys.push(this.#topicKeys[keyNumber] ?? number);
    this.#topicNumbers.set(topic, number);
    if (!this.#topicNumbers.has(key)) this.#topicNumbers.set(key, number);
    return number;
  }

  #noteMentions(id: MessageId, mentions: MentionList): void {
    this.#mentions.set(id, mentions);
    this.#mentionBytes += ((mentions.userIds?.length ?? 0) + 8) * bytesPerMention;
  }

  #forgetMentions(id: MessageId): void {
    const mentions = this.#mentions.get(id);
    if (!mentions) return;
    this.#mentions.delete(id);
    this.#mentionBytes -= ((mentions.userIds?.length ?? 0) + 8) * bytesPerMention;
  }

  /** Topics that no message held has any more are forgotten with the others, and those begin anew. */
  #renumberTopics(): void {
    const names = this.#topicNames;
    this.#topicNumbers = new Map();
    this.#topicNames = [];
    this.#topicKeys = [];
    for (let number = this.#first; number < this.#end; number++) {
      const { topics } = this.#blockOf(number);
      const place = number & (blockSize - 1);
      topics[place] = this.#topicNumber(names[topics[place]!]!);
    }
  }

  /** Drops the oldest messages, some blocks of them at a time. */
  #evict(): void {
    if (this.bytes > this.maxBytes && this.#topicNames.length > this.size / 2) this.#renumberTopics();
    while (this.bytes > this.maxBytes && this.#blocks.length > 2 * blocksDropped) {
      const next = (this.#firstBlock + blocksDropped) << blockBits;
      for (let number = this.#first; number < next; number++) this.#forgetMentions(this.idAt(number));
      this.#blocks.splice(0, blocksDropped);
      this.#firstBlock += blocksDropped;
      this.#first = next;
      this.floor = this.idAt(next);
      for (const [recipientId, conversation] of this.#conversations) {
        conversation.removeBelow(next);
        if (conversation.length === 0) this.#conversations.delete(recipientId);
      }
    }
  }
}

/** In lower case as PostgreSQL has it: character by character, whatever stands beside it. */
export function topicKeyOf(topic: string): string {
  let key = "";
  for (const character of topic) {
    const lower = character.toLowerCase();
    key += lower.length > character.length ? String.fromCodePoint(lower.codePointAt(0)!) : lower;
  }
  return key;
}
