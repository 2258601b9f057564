/**
 * Translates texts that contain ids, files and addresses of the old server. In Markdown and in HTML these are mentions
 * with ids, links to messages, channels and conversations, uploads, custom emoji, and some attributes.
 */
import { allowedHtml } from "../../markdown/allowed-html.ts";
import { decodePercent } from "../../percent-encoding.ts";
import type { IdMaps } from "./ids.ts";

export interface TextSources {
  ids: IdMaps;
  /** Old path of an upload → new one. */
  uploads: ReadonlyMap<string, string>;
  /** The address of an emoji's picture, by its old file name. */
  emojiUrls: ReadonlyMap<string, string>;
  /** The address of the picture of a linked page, by its old file name. Only our own exports have such. */
  previewUrl(fileName: string): string;
  /** Host names of the old server. */
  oldHosts: readonly string[];
  oldRealm: number;
  /** The new organization's address, without a trailing slash. */
  url: string;
}

type Replacement = readonly [
  pattern: RegExp,
  replace: (all: string, one: string, two: string, three: string) => string,
];
export interface TextRewriter {
  /** What stands behind `#` in an address, or would. */
  fragment(text: string): string;
  markdown(text: string): string;
  /** The allowed part of what the other server rendered of `source`. */
  html(text: string, source: string): string;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const mapped = (map: { get(id: number): number | undefined }, id: string): string => String(map.get(Number(id)) ?? id);

const apply = (text: string, replacements: readonly Replacement[]): string =>
  replacements.reduce((changed, [pattern, replace]) => changed.replace(pattern, replace), text);

/** Attributes with ids. */
const replacementsInTags = (ids: IdMaps): Replacement[] => [
  [/( data-user-id=")(\d+)(")/g, (_, open, id, close) => open + mapped(ids.users, id) + close],
  [/( data-user-group-id=")(\d+)(")/g, (_, open, id, close) => open + mapped(ids.groups, id) + close],
  [/( data-stream-id=")(\d+)(")/g, (_, open, id, close) => open + mapped(ids.channels, id) + close],
  // The old server was a proxy for pictures of other sites. It alone knows these addresses.
  [/(src|href)="\/external_content\/[0-9a-f]+\/([0-9a-f]+)"/g, (all, name, hex) => externalUrl(name, hex) ?? all],
];

export function textRewriter({
  ids,
  uploads,
  emojiUrls,
  previewUrl,
  oldHosts,
  oldRealm,
  url,
}: TextSources): TextRewriter {
  /** `1172,1173-dm` and `1172-Ada`: the ids before the name. */
  const mappedUsers = (list: string): string => list.replace(/\d+/g, (id) => mapped(ids.users, id));

  const everywhere: Replacement[] = [
    [/(@_?\*\*[^*\n]*?\|)(\d+)(\*\*)/g, (_, open, id, close) => open + mapped(ids.users, id) + close],
    [/(#\*\*[^*\n>]*>[^*\n]*@)(\d+)(\*\*)/g, (_, open, id, close) => open + mapped(ids.messages, id) + close],
    // A link inside the organization: its operators with ids.
    [
      /#narrow\/[^\s"'<>)\]]*/g,
      (fragment) =>
        fragment
          .replace(/\/(stream|channel)\/(\d+)/g, (_, operator, id) => `/${operator}/${mapped(ids.channels, id)}`)
          .replace(/\/(near|with|id)\/(\d+)/g, (_, operator, id) => `/${operator}/${mapped(ids.messages, id)}`)
          .replace(
            /\/(dm|pm-with|dm-including|group-pm-with|sender)\/(\d+(?:,\d+)*)/g,
            (_, operator, list) => `/${operator}/${mappedUsers(list)}`,
          ),
    ],
    [
      /\/user_uploads\/((?:thumbnail\/)?)(\d+\/[^\s"'<>)\]]+)/g,
      (all, thumbnail, path) => {
        // The address of a thumbnail ends with its format. The thumbnail is made again on demand.
        const end = thumbnail === "" ? path.length : path.lastIndexOf("/");
        const file = path.slice(0, end);
        const found = uploads.get(file) ?? uploads.get(decoded(file));
        return found === undefined ? all : `/user_uploads/${thumbnail}${found}${path.slice(end)}`;
      },
    ],
    [
      new RegExp(`/user_avatars/${oldRealm}/emoji/images/([^\\s"'<>)\\]]+)`, "g"),
      (all, name) => emojiUrls.get(name) ?? all,
    ],
    [new RegExp(`/link_previews/${oldRealm}/([0-9a-f]{32}\\.webp)`, "g"), (_, name) => previewUrl(name)],
    ...oldHosts.map(
      (host): Replacement => [new RegExp(`https?://${escaped(host)}(?=[/?#\\s"'<>)\\]]|$)`, "gi"), () => url],
    ),
  ];
  const inTags = replacementsInTags(ids);
  return {
    fragment: (text) => apply(`#${text}`, everywhere).slice(1),
    markdown: (text) => apply(text, everywhere),
    html: (text, source) =>
      allowedHtml(
        apply(
          text.replace(/<[a-z][^>]*>/gi, (tag) => apply(tag, inTags)),
          everywhere,
        ),
        source,
      ),
  };
}

const decoded = (path: string): string => decodePercent(path) ?? path;

function externalUrl(name: string, hex: string): string | undefined {
  const url = Buffer.from(hex, "hex").toString("utf8");
  return /^https?:\/\/[^\s"<>]+$/.test(url) ? `${name}="${url.replaceAll("&", "&amp;")}"` : undefined;
}
