/** What a person sees on their way to a video call. */
import type { Language } from "../../actors/text/languages.ts";
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";
import { pageWords } from "./words/words.ts";

/** In the window that a client opened: it closes by itself. */
export function callServiceReadyPage(language: Language, service: string): RawReply {
  const words = pageWords(language);
  return page({
    title: words.callsOn(service),
    language,
    body: `<h1>${escapeHtml(words.serviceReady(service))}</h1>
<p>${escapeHtml(words.closeWindow)}</p>`,
    script: "window.close();",
  });
}

export function callRefusedPage(language: Language, message: string, status: number): RawReply {
  const words = pageWords(language);
  return page({
    title: words.noCall,
    language,
    status,
    body: `<h1>${escapeHtml(words.noCall)}</h1>
${errorNote(message)}
<p><a href="/">${escapeHtml(words.toConversations)}</a></p>`,
  });
}
