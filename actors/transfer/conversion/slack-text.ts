/** Slack's markup as ours. https://docs.slack.dev/messaging/formatting-message-text/ */

/** What ids in a text stand for; undefined: nothing known. */
export interface Names {
  mention(id: string): string | undefined;
  channel(id: string): string | undefined;
}

export function textOf(text: string, names: Names): string {
  return text
    .split(/(```[\s\S]*?```|`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? code(unescaped(part)) : prose(part, names)))
    .join("");
}

function prose(text: string, names: Names): string {
  const marked = text
    .replace(/(^|[\s(])\*([^*\s][^*\n]*)\*/g, "$1**$2**")
    .replace(/(^|[\s(])_([^_\s][^_\n]*)_(?=$|[\s),.!?])/g, "$1*$2*")
    .replace(/(^|[\s(])~([^~\s][^~\n]*)~/g, "$1~~$2~~")
    .replace(/<([^<>\n]+)>/g, (_, inner: string) => reference(inner, names));
  return unescaped(marked);
}

function reference(inner: string, names: Names): string {
  const bar = inner.indexOf("|");
  const [target, label] = bar < 0 ? [inner, ""] : [inner.slice(0, bar), inner.slice(bar + 1)];
  if (target.startsWith("@")) return names.mention(target.slice(1)) ?? `@${label || target.slice(1)}`;
  if (target.startsWith("#")) return names.channel(target.slice(1)) ?? `#${label || target.slice(1)}`;
  if (/^!(?:here|channel|everyone)$/.test(target)) return "@**all**";
  if (target.startsWith("!")) return label || target.slice(1);
  return label === "" || label === target ? target : `[${label.replace(/[[\]]/g, "")}](${target})`;
}

export const unescaped = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** A block of code stands on lines of its own. */
const code = (part: string): string =>
  part.startsWith("```") ? `\n\`\`\`\n${part.slice(3, -3).replace(/^\n|\n$/g, "")}\n\`\`\`\n` : part;
