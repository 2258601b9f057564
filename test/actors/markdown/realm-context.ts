import { type MarkdownContext, renderMarkdown } from "../../../actors/markdown/render.ts";

const users = [
  { id: 12, full_name: "Ada Lovelace" },
  { id: 13, full_name: `<b onclick="x">&` },
  { id: 20, full_name: "Sam" },
  { id: 21, full_name: "Sam" },
  { id: 22, full_name: "Kim" },
  { id: 23, full_name: "kim" },
];
const groups = [
  { id: 5, name: "support" },
  { id: 6, name: "role:administrators" },
  { id: 7, name: "<i>" },
];
const channels = [
  { id: 9, name: "general" },
  { id: 10, name: "R & D (new)" },
];

/**
 * A small realm with one linkifier (`#123`), one custom emoji (`:parrot:`), and names that try to break out of HTML.
 */
export const realmContext: MarkdownContext = {
  realmUrl: "https://chat.example.com",
  findUsersByName: (name) => users.filter((user) => user.full_name.toLowerCase() === name.toLowerCase()),
  findUser: (id) => users.find((user) => user.id === id),
  findGroupByName: (name) => groups.find((group) => group.name === name),
  findChannelByName: (name) => channels.find((channel) => channel.name === name),
  findChannel: (id) => channels.find((channel) => channel.id === id),
  linkify: (text) =>
    [...text.matchAll(/#(\d+)/g)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
      url: `https://bugs.example.com/${match[1]}`,
      text: match[0],
    })),
  findRealmEmoji: (name) =>
    name === "parrot" ? { id: "3", name, source_url: '/user_avatars/1/emoji/images/3.gif?a="b' } : undefined,
  // PNG files of before there were thumbnails, and what there is beside them.
  findUpload: (pathId) => {
    const kind = pathId.slice(-3);
    if (kind === "mp3") return { content_type: "audio/mpeg", image: null };
    if (kind === "mp4") return { content_type: "video/mp4", image: null };
    const picture = { width: 20, height: 10, type: "image/gif", frames: 2, transcoded: "20x10.webp" };
    return { content_type: "image/x", image: kind === "gif" ? picture : null };
  },
  // As of a server whose key nobody needs to know.
  externalContent: (url) => `/external_content/${"0".repeat(40)}/${Buffer.from(url).toString("hex")}`,
  codePlaygroundDefaultLanguage: "",
};

/** The HTML of a message in that realm. */
export function html(source: string, changes: Partial<MarkdownContext> = {}): string {
  return renderMarkdown(source, { ...realmContext, ...changes }).html;
}
