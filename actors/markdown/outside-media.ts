/**
 * Pictures, films and sound of other sites in a message. Readers fetch them through this server, so that no other site
 * hears of them. Which address is a picture only its ending says: nothing is asked while a message is rendered. Source
 * of the HTML: zulip/zulip, zerver/lib/markdown/__init__.py, the inlining of links.
 */
import { type ExternalContent, escapeHtml } from "./rendering.ts";

/** Longer addresses are links and nothing more: browsers refuse requests for those of a proxy. */
const maxUrlUnits = 2000;
const picturePattern = /\.(?:bmp|gif|jpe|jpeg|jpg|png|webp)$/i;
/** Types of films and sound, by the end of the address. */
const filmTypes: Readonly<Record<string, string>> = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
};
const soundTypes: Readonly<Record<string, string>> = {
  aac: "audio/aac",
  flac: "audio/flac",
  mp3: "audio/mpeg",
  wav: "audio/wav",
};
const youtubeHosts = new Set(
  ["m.", "www.", ""].flatMap((prefix) => [`${prefix}youtube.com`, `${prefix}youtube-nocookie.com`]),
);

/** Most links lead to neither, and this test is many times faster than reading an address. */
const mayHavePreview = /\.(?:bmp|gif|jpe|jpeg|jpg|mov|mp4|png|webm|webp)(?:[?#]|$)|\/\/[^/]*youtu/i;

/** What is shown below a link, with whether it is a picture. */
export interface OutsidePreview {
  html: string;
  isPicture: boolean;
}

/**
 * The preview of a link to another site's picture or film. Undefined for other links.
 *
 * @param title what the link shows, if that is not its address
 */
export function outsidePreview(
  href: string,
  title: string | undefined,
  externalContent: ExternalContent,
): OutsidePreview | undefined {
  const url = mayHavePreview.test(href) ? siteUrl(href) : undefined;
  if (url === undefined) return undefined;
  const titled = title === undefined ? "" : ` title="${escapeHtml(title)}"`;
  const open = `<a href="${escapeHtml(href)}"${titled}>`;
  const youtubeId = youtubeIdOf(url);
  if (youtubeId !== undefined) {
    const picture = externalContent(`https://i.ytimg.com/vi/${youtubeId}/mqdefault.jpg`);
    if (picture === undefined) return undefined;
    return {
      html: `<div class="youtube-video message_inline_image"><a data-id="${youtubeId}" href="${escapeHtml(href)}"><img loading="lazy" src="${escapeHtml(picture)}"></a></div>`,
      isPicture: true,
    };
  }
  const isFilm = filmTypes[endingOf(url)] !== undefined;
  const source = isFilm || isPicture(url) ? externalContent(isFilm ? href : pictureAddress(url, href)) : undefined;
  if (source === undefined) return undefined;
  const src = escapeHtml(source);
  return isFilm
    ? {
        html: `<div class="message_inline_image message_inline_video">${open}<video preload="metadata" src="${src}"></video></a></div>`,
        isPicture: false,
      }
    : { html: `<div class="message_inline_image">${open}<img loading="lazy" src="${src}"></a></div>`, isPicture: true };
}

/** A player for another site's sound, of `![title](href)`. Undefined when it becomes a link. */
export function outsidePlayer(href: string, title: string, externalContent: ExternalContent): string | undefined {
  const url = siteUrl(href);
  const source = url && soundTypes[endingOf(url)] !== undefined ? externalContent(href) : undefined;
  return source === undefined
    ? undefined
    : `<audio controls data-original-url="${escapeHtml(href)}" preload="metadata" src="${escapeHtml(source)}" title="${escapeHtml(title)}"></audio>`;
}

/** What is at an address that messages show: `image`, or the type of a film or sound. */
export function mediaTypeOf(href: string): string | undefined {
  const url = siteUrl(href);
  if (url === undefined) return undefined;
  return isPicture(url) ? "image" : (filmTypes[endingOf(url)] ?? soundTypes[endingOf(url)]);
}

const endingOf = ({ pathname }: URL): string => /\.([a-z0-9]{1,5})$/i.exec(pathname)?.[1]?.toLowerCase() ?? "";

function siteUrl(href: string): URL | undefined {
  if (!/^https?:\/\//i.test(href) || href.length > maxUrlUnits) return undefined;
  return URL.canParse(href) ? new URL(href) : undefined;
}

/** A page about a picture can end like one. */
function isPicture({ hostname, pathname }: URL): boolean {
  return picturePattern.test(pathname) && hostname !== "pasteboard.co";
}

/** Some sites have a page at the address that ends like a picture, and the picture elsewhere. */
function pictureAddress({ hostname, pathname, search }: URL, href: string): string {
  if (hostname === "github.com") {
    const [, owner, repository, blob, ...path] = pathname.split("/");
    if (blob === "blob") return `https://raw.githubusercontent.com/${owner}/${repository}/${path.join("/")}`;
  }
  if (hostname.endsWith(".wikipedia.org") && pathname.startsWith("/wiki/File:"))
    return `https://${hostname}${pathname.replace("/wiki/File:", "/wiki/Special:FilePath/File:")}${search}`;
  return href;
}

function youtubeIdOf({ hostname, pathname, searchParams }: URL): string | undefined {
  let id: string | null | undefined;
  if (hostname === "youtu.be") id = pathname.slice(1);
  else if (!youtubeHosts.has(hostname)) return undefined;
  else if (pathname === "/watch" || pathname === "/watch_popup") id = searchParams.get("v");
  else if (pathname === "/watch_videos") id = searchParams.get("video_ids")?.split(",", 1)[0];
  else id = /^\/(?:embed|shorts|v)\/([^/]*)/.exec(pathname)?.[1];
  return id && /^[\w-]{1,64}$/.test(id) ? id : undefined;
}
