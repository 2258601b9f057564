/** Types of tables of texts. English is the base: what it has, every language has, or it does not compile. */

/** A table with the texts of another language: the same keys, and functions of the same arguments. */
export type Translated<T> = T extends string
  ? string
  : T extends (...given: infer Given) => string
    ? (...given: Given) => string
    : { readonly [Key in keyof T]: Translated<T[Key]> };

/** Words that are looked up by keys of the wire, of which some may be unknown. */
export const byKey = <Key extends PropertyKey>(
  words: Readonly<Record<Key, string>>,
): Readonly<Record<Key, string>> & Readonly<Record<string, string>> =>
  words as Readonly<Record<Key, string>> & Readonly<Record<string, string>>;
