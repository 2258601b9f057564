/** What a person sees on their way to a video call. */
import type { RawReply } from "../api/reply.ts";
import { errorNote, escapeHtml, page } from "./page.ts";

/** In the window that a client opened: it closes by itself. */
export function callServiceReadyPage(service: string): RawReply {
  return page({
    title: `Calls on ${service}`,
    body: `<h1>${escapeHtml(service)} is ready</h1>
<p>You can close this window, and start your call.</p>`,
    script: "window.close();",
  });
}

export function callRefusedPage(message: string, status: number): RawReply {
  return page({
    title: "There is no call",
    status,
    body: `<h1>There is no call</h1>
${errorNote(message)}
<p><a href="/">Back to the conversations</a></p>`,
  });
}
