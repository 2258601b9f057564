/** Marks the person's alert words in a message. */

/** Marks words where they stand alone, in any case. */
export function markWords(root: DocumentFragment, words: readonly string[]): void {
  if (words.length === 0) return;
  const any = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${any})(?![\\p{L}\\p{N}_])`, "giu");
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
  for (const text of texts) markText(text, pattern);
}

function markText(text: Text, pattern: RegExp): void {
  const parts: (string | Node)[] = [];
  let from = 0;
  for (const { 0: found, index } of text.data.matchAll(pattern)) {
    const mark = document.createElement("span");
    mark.className = "alert-word";
    mark.textContent = found;
    parts.push(text.data.slice(from, index), mark);
    from = index + found.length;
  }
  if (parts.length > 0) text.replaceWith(...parts, text.data.slice(from));
}
