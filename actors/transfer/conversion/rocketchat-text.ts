/** Rocket.Chat's markup as ours. https://docs.rocket.chat/docs/format-messages */

/** What names in a text stand for; undefined: nothing known. */
export interface Names {
  mention(username: string): string | undefined;
  channel(name: string): string | undefined;
}

export function textOf(text: string, names: Names): string {
  return (
    text
      // A quoted message is linked to by nothing that one sees.
      .replace(/\[ ?\]\([^)\s]*\?msg=[^)\s]*\)\s*/g, "")
      .split(/(```[\s\S]*?```|`[^`\n]+`)/)
      .map((part, index) => (index % 2 === 1 ? part : prose(part, names)))
      .join("")
  );
}

function prose(text: string, names: Names): string {
  return text
    .replace(/(^|[\s(])\*([^*\s][^*\n]*)\*(?!\*)/g, "$1**$2**")
    .replace(/(^|[\s(])_([^_\s][^_\n]*)_(?=$|[\s),.!?])/gm, "$1*$2*")
    .replace(/(^|[\s(])~([^~\s][^~\n]*)~(?!~)/g, "$1~~$2~~")
    .replace(/<((?:https?|mailto):[^<>|\s]+)\|([^<>\n]+)>/g, (_, address: string, label: string) => {
      return `[${label.replace(/[[\]]/g, "")}](${address})`;
    })
    .replace(/(?<![\w.])@([\w.-]*\w)/g, (all, name: string) => {
      return /^(?:all|here)$/.test(name) ? "@**all**" : (names.mention(name) ?? all);
    })
    .replace(/(?<![\w&/])#([\p{L}\p{N}_.-]*[\p{L}\p{N}])/gu, (all, name: string) => names.channel(name) ?? all);
}
