/**
 * A made-up history to search in: words are as frequent as in any language (the n-th one n times rarer than the first),
 * so are people and topics. The same numbers give the same history.
 */
import type postgres from "postgres";
import { copyIn } from "../../storage/copy.ts";

export interface HistorySize {
  messages: number;
  /** Messages of the topic `great` in the first channel. */
  great: number;
  /** Messages of the topic `small` in the second channel. */
  small: number;
  /** Messages with the word `zeppelin`; every second one is in `great`. */
  rare: number;
  /** Messages of the last sender but one. The last one wrote nothing. */
  ofSeldom: number;
}

interface Places {
  realmId: number;
  /** The id before the first message. */
  base: number;
  channels: readonly { id: string; recipient_id: string }[];
  senderIds: readonly number[];
}

const vocabulary = 50_000;
const topicsPerChannel = 200;
/** One message in so many has a link. */
const perLink = 30;
const batch = 5000;
const syllables =
  "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re".split(" ");

/** The word of a rank: 1 is the most frequent one. */
export function wordOf(rank: number): string {
  let text = "";
  for (let left = rank + 31; left > 0; left = Math.floor(left / 32)) text += syllables[left % 32]!;
  return `${text}t`;
}

/** Writes the history straight into the tables. The index of words is made afterwards, as that is much faster. */
export async function storeHistory(sql: postgres.Sql, places: Places, size: HistorySize): Promise<void> {
  const [index] = await sql<{ definition: string }[]>`
    select pg_get_indexdef('messages_search'::regclass) as definition`;
  await sql`drop index messages_search`;
  await sql.begin((transaction) =>
    copyIn(
      transaction as never,
      `copy messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client, has_link)
       from stdin`,
      batches(places, size),
    ),
  );
  // Unsafe: what PostgreSQL itself wrote.
  await sql.unsafe(index!.definition);
  await sql`select setval('message_id_blocks', ${places.base + size.messages + 1000})`;
  await sql`vacuum analyze`;
}

function* batches(places: Places, size: HistorySize): Generator<Buffer> {
  const random = randomNumbers(11);
  for (let from = 1; from <= size.messages; from += batch) {
    let text = "";
    for (let n = from; n < from + batch && n <= size.messages; n++) text += `${row(n, places, size, random)}\n`;
    yield Buffer.from(text);
  }
}

/** Whether this is one of `count` messages that lie evenly in the history. `offset` keeps kinds from each other. */
const isOneOf = (n: number, count: number, messages: number, offset: number): boolean =>
  (n + offset) % Math.floor(messages / count) === 0;

function row(n: number, { realmId, base, channels, senderIds }: Places, size: HistorySize, random: () => number) {
  const zipf = (most: number) => Math.floor(most ** random());
  const isSmall = isOneOf(n, size.small, size.messages, 3);
  const isRare = isOneOf(n, size.rare, size.messages, 5);
  const isGreat = !isSmall && (isOneOf(n, size.great, size.messages, 7) || (isRare && random() < 0.5));
  const channel = channels[isSmall ? 1 : isGreat ? 0 : zipf(channels.length)]!;
  const topic = isSmall ? "small" : isGreat ? "great" : `topic ${zipf(topicsPerChannel)}`;
  const often = senderIds.length - 2;
  const isSeldom = isOneOf(n, size.ofSeldom, size.messages, 9);
  const senderId = senderIds[isSeldom ? often : zipf(often) - 1]!;
  const words = Array.from({ length: 4 + Math.floor(30 * random() ** 2) }, () => wordOf(zipf(vocabulary)));
  if (isRare) words.push("zeppelin");
  const hasLink = random() * perLink < 1;
  if (hasLink) words.push(`https://example.com/${wordOf(zipf(vocabulary))}`);
  const content = words.join(" ");
  return [
    base + n,
    realmId,
    channel.recipient_id,
    channel.id,
    senderId,
    topic,
    content,
    `<p>${content}</p>`,
    1_700_000_000 + n,
    "bench",
    hasLink,
  ].join("\t");
}

/** Numbers from 0 to 1 (xorshift). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
