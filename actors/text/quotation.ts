/**
 * The text as a Markdown quotation. The fence is longer than any run of backticks in the text, so the text cannot end
 * it.
 */
export function quoted(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}quote\n${text}\n${fence}`;
}
