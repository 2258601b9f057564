/** Topics and descriptions out of what people wrote elsewhere. */

const maxTopic = 60;

export const shortTopic = (topic: string): string =>
  topic.length > maxTopic ? `${topic.slice(0, maxTopic - 1)}…` : topic;

/** The topic that a thread becomes: its first words, without markup. */
export function topicOf(text: string, fallback: string): string {
  const words = text
    .replace(/@\*\*([^*|]*)(?:\|\d+)?\*\*/g, "$1")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_~`>#\s]+/g, " ")
    .trim();
  return words === "" ? fallback : shortTopic(words);
}

/** What a channel is for, and what it is about: there is one text for both. */
export const described = (...texts: readonly (string | null | undefined)[]): string =>
  [...new Set(texts.map((text) => text?.trim()).filter(Boolean))].join("\n");

/** The topics of a channel that are taken: threads that begin alike stay apart. Topics are the same in any case. */
export class Topics {
  readonly #taken = new Set<string>();
  readonly #numbers = new Map<string, number>();

  free(wanted: string): string {
    const beginning = wanted.slice(0, 45);
    let topic = wanted;
    const key = beginning.toLowerCase();
    let number = this.#numbers.get(key) ?? 1;
    while (this.#taken.has(topic.toLowerCase())) topic = `${beginning} (${++number})`;
    this.#numbers.set(key, number);
    this.#taken.add(topic.toLowerCase());
    return topic;
  }
}
