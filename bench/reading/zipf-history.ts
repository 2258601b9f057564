/**
 * A made-up history to search in: words are as frequent as in any language (the n-th one n times rarer than the first),
 * so are people and topics. The same numbers give the same history.
 */
import type postgres from "postgres";
import { lexemesOf } from "../../actors/text/lexemes.ts";
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

const knownWords: string[] = [];

/** The word of a rank: 1 is the most frequent one. */
export const wordOf = (rank: number): string => (knownWords[rank] ??= makeWord(rank));

function makeWord(rank: number): string {
  let text = "";
  for (let left = rank + 31; left > 0; left = Math.floor(left / 32)) text += syllables[left % 32]!;
  return `${text}t`;
}

/**
 * Writes the history straight into the tables, which have no messages yet, with the words that Parley brings along.
 * Indexes are made afterwards, as that is much faster.
 */
export async function storeHistory(sql: postgres.Sql, places: Places, size: HistorySize): Promise<void> {
  // In the transaction that empties the table nothing is written ahead, and rows need no vacuum later.
  await sql.begin(async (transaction) => {
    await transaction`truncate messages`;
    // No trigger runs: rows bring along what it would make.
    await transaction`set local session_replication_role = replica`;
    await transaction`set local maintenance_work_mem = '1GB'`;
    const indexes = await transaction<{ name: string; definition: string }[]>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index where indrelid = 'messages'::regclass and not indisprimary`;
    for (const { name } of indexes) await transaction`drop index ${transaction(name)}`;
    await copyIn(
      transaction as never,
      `copy messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client, has_link,
         search) from stdin with (freeze)`,
      batches(places, size),
    );
    // Unsafe: what PostgreSQL itself wrote.
    for (const { definition } of indexes) await transaction.unsafe(definition);
  });
  await sql`select setval('message_id_blocks', ${places.base + size.messages + 1000})`;
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
    `${lexemesOfAll([topic, ...words])}${marksOf(base + n, channel.recipient_id)}${hasLink ? " #link" : ""}`,
  ].join("\t");
}

/** The parts of the history and the conversation, as the trigger of messages writes them. */
const marksOf = (id: number, recipientId: string): string =>
  `#${id >> 12} ##${id >> 16} ###${id >> 20} @${recipientId}`;

/** The lexemes of a text: what is between the places of its words, and how many words it has. */
interface Lexemes {
  pieces: string[];
  offsets: number[];
  words: number;
}
const knownLexemes = new Map<string, Lexemes>();

/** The lexemes of texts one after the other. Making those of each message anew would take most of the time. */
function lexemesOfAll(texts: readonly string[]): string {
  let lexemes = "";
  let place = 0;
  for (const text of texts) {
    let known = knownLexemes.get(text);
    if (!known) knownLexemes.set(text, (known = cutLexemes(lexemesOf(text)!)));
    const { pieces, offsets, words } = known;
    for (let index = 0; index < offsets.length; index++) lexemes += `${pieces[index]!}${place + offsets[index]!}`;
    lexemes += pieces.at(-1)!;
    place += words;
  }
  return lexemes;
}

function cutLexemes(lexemes: string): Lexemes {
  const places = /(?<=:)[0-9]+/g;
  const offsets = (lexemes.match(places) ?? []).map(Number);
  return { pieces: lexemes.split(places), offsets, words: Math.max(...offsets) };
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
