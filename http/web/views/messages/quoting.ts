/** Quotes a message, or the part of it that is selected, in an answer or for another conversation. */
import type { Message } from "../../../client/types.ts";
import type { App } from "../../model/app.ts";
import { withTex } from "../../model/lists/plain-words.ts";
import { t } from "../../texts.ts";

/** Answers a message with what it says. */
export async function quote(app: App, message: Message): Promise<void> {
  const words = wordsOf(app, message);
  if (!app.compose.conversation.peek()) app.compose.reply(message);
  const give = app.ui.focus.later();
  const said = await words;
  if (said !== undefined) app.compose.append(quotationOf(app, message, said), give);
}

/** Begins a message with what another one says. Its reader chooses where that goes. */
export async function forward(app: App, message: Message): Promise<void> {
  const words = wordsOf(app, message);
  app.compose.startTopic();
  const give = app.ui.focus.later();
  const said = await words;
  if (said === undefined) return;
  const chooser = () => document.querySelector<HTMLElement>("#compose-channel");
  app.compose.append(quotationOf(app, message, said), (_box, options) => give(chooser(), options));
}

/** The message that a selection begins in. */
export function selectedMessage({ lists }: App): Message | undefined {
  const selection = getSelection();
  if (!selection || selection.isCollapsed) return undefined;
  const { startContainer } = selection.getRangeAt(0);
  const at = startContainer instanceof Element ? startContainer : startContainer.parentElement;
  const id = at?.closest<HTMLElement>("[data-message-id]")?.dataset["messageId"];
  return id === undefined ? undefined : lists.cache.get(Number(id));
}

/** The Markdown of what is selected of a message, else of all of it; undefined when the server refuses. */
async function wordsOf(app: App, message: Message): Promise<string | undefined> {
  const html = selectedHtml(message);
  if (html !== undefined) {
    const { markdownOf } = await import("../compose/html-to-markdown.ts");
    return markdownOf(html);
  }
  const answer = await app.actions.try<{ raw_content: string }>("GET", `/messages/${message.id}`, {
    apply_markdown: false,
  });
  return answer?.raw_content;
}

function quotationOf({ people, actions }: App, message: Message, words: string): string {
  const longest = Math.max(2, ...[...words.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const name = `${people.name(message.sender_id)}|${message.sender_id}`;
  return `@_**${name}** [${t.said}](${actions.linkTo(message)}):\n${fence}quote\n${words}\n${fence}\n`;
}

/** What is selected of a message, within what it stands in; undefined when that is nothing, or all of the message. */
function selectedHtml(message: Message): string | undefined {
  const content = document.querySelector(`[data-message-id="${message.id}"] .content`);
  const selection = getSelection();
  if (!content || !selection || selection.isCollapsed) return undefined;
  const whole = selection.getRangeAt(0);
  if (!whole.intersectsNode(content)) return undefined;
  const part = whole.cloneRange();
  if (!content.contains(part.startContainer)) part.setStart(content, 0);
  if (!content.contains(part.endContainer)) part.setEnd(content, content.childNodes.length);
  const text = part.toString().trim();
  if (text === "" || text === content.textContent?.trim()) return undefined;
  const { commonAncestorContainer: within } = part;
  let piece: Node = part.cloneContents();
  let around = within instanceof Element ? within : within.parentElement;
  for (; around && around !== content; around = around.parentElement) {
    const shell = around.cloneNode();
    shell.appendChild(piece);
    piece = shell;
  }
  const root = document.createElement("div");
  root.append(piece);
  undecorate(root);
  return withTex(root.innerHTML);
}

/** Takes away what the page adds to the text of a message, and writes what has Markdown of its own. */
function undecorate(root: HTMLElement): void {
  for (const element of root.querySelectorAll(".code-tools, .message_inline_image, [hidden]")) element.remove();
  for (const time of root.querySelectorAll("time")) time.replaceWith(`<time:${time.dateTime}>`);
  for (const link of root.querySelectorAll("a")) link.setAttribute("href", link.href);
  for (const mention of root.querySelectorAll<HTMLElement>(".user-mention")) {
    const id = Number(mention.dataset["userId"]);
    if (id) mention.replaceWith(`@_**${(mention.textContent ?? "").replace(/^@/, "")}|${id}**`);
  }
}
