/**
 * The text as a Markdown quotation, in a fence longer than any run in it: nothing in it can end the quotation early.
 */
export function quoted(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}quote\n${text}\n${fence}`;
}
