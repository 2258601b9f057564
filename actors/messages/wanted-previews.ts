/** Which pages are to be read for previews of links. `link-previews.ts` tells of the whole. */

import { createHash } from "node:crypto";
import type { MessageId, RealmId } from "../../storage/ids.ts";
import type { RealmEvent } from "../events/events.ts";
import { unescapeHtml } from "../markdown/rendering.ts";
import { defineMemory } from "../realm/memory.ts";
import type { RealmState } from "../realm/state/state.ts";

export interface WantedPreviews {
  realmId: RealmId;
  messageId: MessageId;
  /** SHA-256 of the HTML that has the links, in hexadecimal. */
  basis: string;
  urls: string[];
}

/** Who reads the pages. */
export interface LinkPreviewer {
  /** Promises nothing, and does not wait. */
  wanted(wanted: WantedPreviews): void;
}

declare module "../realm/environment.ts" {
  interface RealmEnvironment {
    /** Reads pages that messages link to; undefined: nobody does. */
    linkPreviewer?: LinkPreviewer | undefined;
  }
}

/** How each preview begins. */
export const embedBegin = '<div class="message_embed">';

/** Links of a message that have previews: the first ones. */
const maxLinks = 5;
const maxUrlLength = 2000;
const tagPattern = /<(\/?)blockquote>|<a href="(https?:\/\/[^"]+)"/g;

/** What an event makes worth reading, where the organization wants it. */
export function wantedPreviews(state: RealmState, event: RealmEvent): WantedPreviews | undefined {
  if (event.type !== "message" && event.type !== "update_message") return undefined;
  if (!state.setting("inline_url_embed_preview")) return undefined;
  const message = event.type === "message" ? event.message : event;
  const id = event.type === "message" ? event.message.id : event.message_id;
  if (message.rendered_content === undefined) return undefined;
  // Those that are there came with such an event. Without them it shows a file, and others may be on their way still.
  const isRenderedAnew = event.type === "update_message" && event.rendering_only;
  if (isRenderedAnew && message.rendered_content.includes(embedBegin)) return undefined;
  const urls = linksIn(message.rendered_content, state.url);
  return urls.length === 0
    ? undefined
    : { realmId: state.id, messageId: id, basis: digest(message.rendered_content), urls };
}

/** Tells whoever reads pages what the messages that this node commits link to. Nothing is remembered. */
export const previewWishes = defineMemory<(event: RealmEvent) => void>({
  name: "link previews",
  load:
    ({ state, environment }) =>
    (event) => {
      const wanted = environment.linkPreviewer && wantedPreviews(state, event);
      if (wanted) environment.linkPreviewer?.wanted(wanted);
    },
  committed(tell, { event }) {
    if (event) tell(event);
  },
});

/** Addresses of other sites that HTML of ours links to, outside of quotes. */
function linksIn(html: string, realmUrl: string): string[] {
  const urls = new Set<string>();
  let quotes = 0;
  for (const [, close, href] of html.matchAll(tagPattern)) {
    if (href === undefined) quotes += close === "/" ? -1 : 1;
    else if (quotes === 0 && href.length <= maxUrlLength && urls.size < maxLinks) {
      const url = unescapeHtml(href);
      if (!url.startsWith(`${realmUrl}/`) && URL.canParse(url)) urls.add(url);
    }
  }
  return [...urls];
}

export const digest = (html: string): string => createHash("sha256").update(html).digest("hex");
