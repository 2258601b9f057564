/** Makes something on first use. Formats of `Intl` are expensive, and most are not needed at the start. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
