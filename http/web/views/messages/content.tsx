/** The content of a message, and what the page adds: local times, copying of code, spoilers, the image viewer. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { perLanguage } from "../../languages/speaking.ts";
import { type App, useApp } from "../../model/app.ts";
import { charactersOf } from "../../model/emoji.ts";
import { t } from "../../texts.ts";
import { openGroup } from "../parts/group-card.tsx";
import { openPerson } from "../parts/person-card.tsx";
import { markWords } from "./alert-words.ts";
import { gatherPictures, showFiles } from "./files.ts";
import { openViewer } from "./image-viewer.tsx";
import { holdStill } from "./moving-pictures.ts";
import { nodesOf } from "./rendered-html.ts";

interface Props {
  html: string;
  class?: string;
  /** Words to mark. */
  words?: readonly string[];
}

export function Content({ html, class: name = "", words }: Props) {
  const app = useApp();
  const place = useRef<HTMLDivElement>(null);
  const { hasTextEmoji, animation } = app;
  useLayoutEffect(() => {
    const nodes = nodesOf(html);
    const end = decorate(nodes, app);
    if (words) markWords(nodes, words);
    place.current?.replaceChildren(nodes);
    return end;
  }, [html, app, words?.join("\n"), hasTextEmoji, animation]);
  return <div ref={place} class={`content ${name}`} dir="auto" />;
}

const time = perLanguage((locale) => new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short" }));

const time24 = perLanguage(
  (locale) =>
    new Intl.DateTimeFormat(locale, {
      weekday: "long",
      day: "numeric",
      month: "long",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    }),
);

/** Returns what ends the waiting for what is not known yet. */
function decorate(root: DocumentFragment, app: App): (() => void) | undefined {
  const files: HTMLAnchorElement[] = [];
  const ends: (() => void)[] = [];
  for (const element of root.querySelectorAll<HTMLElement>(
    "time, .emoji, .codehilite, .spoiler-block, .user-mention, .user-group-mention, .message_inline_image, .inline-image, a, video, audio, .katex",
  ))
    if (element instanceof HTMLAnchorElement && element.getAttribute("href")?.startsWith("/user_uploads/"))
      files.push(element);
    else if (element instanceof HTMLAudioElement) ends.push(makeAudio(element));
    else decorateOne(element, app);
  for (const link of files) makeLink(link);
  if (files.length > 0) ends.push(showFiles(root, files, app));
  if (root.querySelector(".message_inline_image + .message_inline_image")) gatherPictures(root);
  if (ends.length === 0) return undefined;
  return () => {
    for (const end of ends) end();
  };
}

function decorateOne(element: HTMLElement, app: App): void {
  const { classList } = element;
  if (element instanceof HTMLTimeElement) {
    const at = new Date(element.dateTime);
    if (!Number.isNaN(at.getTime())) element.textContent = `🕑 ${(app.has24Hours ? time24 : time)().format(at)}`;
  } else if (classList.contains("emoji")) showEmoji(element, app);
  else if (classList.contains("codehilite")) addCodeTools(element, app);
  else if (classList.contains("spoiler-block")) makeSpoiler(element);
  else if (classList.contains("user-mention")) showMention(element, app);
  else if (classList.contains("user-group-mention")) showGroupMention(element, app);
  else if (classList.contains("youtube-video")) showMissing(element.querySelector("img"));
  else if (classList.contains("message_inline_image")) makeImage(element.querySelector("img"), app);
  else if (element instanceof HTMLImageElement && classList.contains("inline-image")) makeImage(element, app);
  else if (element instanceof HTMLVideoElement) makeVideo(element);
  else if (classList.contains("katex")) void import("./formulas.ts");
  else if (element instanceof HTMLAnchorElement) makeLink(element);
}

/** Unicode emoji become characters. Custom emoji are pictures already. Whoever wants names has them in both places. */
function showEmoji(element: HTMLElement, app: App): void {
  if (app.hasTextEmoji) {
    // The text of one is its name; the other has it as its alternative.
    if (element instanceof HTMLImageElement) element.replaceWith(element.alt);
    return;
  }
  if (element instanceof HTMLImageElement) return;
  const code = /emoji-([0-9a-f-]+)/.exec(element.className)?.[1];
  if (!code) return;
  element.textContent = charactersOf(code);
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", element.title);
}

function button(text: string, run: (event: Event) => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = text;
  element.addEventListener("click", run);
  return element;
}

function addCodeTools(element: HTMLElement, app: App): void {
  const language = element.dataset["codeLanguage"];
  const pre = element.querySelector("pre");
  if (!pre) return;
  pre.tabIndex = 0;
  const tools = document.createElement("div");
  tools.className = "code-tools";
  if (language) {
    const name = document.createElement("span");
    name.textContent = language;
    tools.append(name);
    for (const { name: title, pygments_language, url_template } of app.store.state.realm_playgrounds ?? []) {
      if (pygments_language.toLowerCase() !== language.toLowerCase()) continue;
      const link = document.createElement("a");
      link.textContent = t.openPlayground(title);
      const address = playgroundAddress(url_template, pre.textContent ?? "");
      if (!address) continue;
      link.href = address;
      link.target = "_blank";
      link.rel = "noopener noreferrer";
      tools.append(link);
    }
  }
  tools.append(button(t.copyCode, () => void app.actions.copy(pre.textContent ?? "", t.copied)));
  element.prepend(tools);
}

/** The address of a playground, whose template has one place for the code (RFC 6570); undefined for none of the web. */
function playgroundAddress(template: string, code: string): string | undefined {
  const address = template.replace(/\{([?&#]?)\+?code\}/, (_place, kind: string) => {
    const value = encodeURIComponent(code);
    return kind === "" ? value : kind === "#" ? `#${value}` : `${kind}code=${value}`;
  });
  return /^https?:/i.test(address) ? address : undefined;
}

function makeSpoiler(element: HTMLElement): void {
  const [header, content] = [...element.children].filter((child) => child instanceof HTMLElement);
  if (!header || !content) return;
  content.hidden = true;
  content.removeAttribute("aria-hidden");
  const toggle = button(t.spoiler, () => {
    content.hidden = !content.hidden;
    toggle.setAttribute("aria-expanded", String(!content.hidden));
  });
  toggle.className = "spoiler-toggle";
  toggle.setAttribute("aria-expanded", "false");
  header.append(toggle);
}

function showMention(element: HTMLElement, app: App): void {
  const id = Number(element.dataset["userId"]);
  if (element.dataset["userId"] === "*" || id === app.me) element.classList.add("mention-me");
  if (!id) return;
  // The present name, which may differ from that in the message.
  const name = app.people.get(id)?.full_name;
  if (name) element.textContent = `${element.classList.contains("silent") ? "" : "@"}${name}`;
  makeButton(element, () => openPerson(app, id, element));
}

function makeButton(element: HTMLElement, open: () => void): void {
  element.tabIndex = 0;
  element.setAttribute("role", "button");
  element.addEventListener("click", open);
  element.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open();
  });
}

function showGroupMention(element: HTMLElement, app: App): void {
  const id = Number(element.dataset["userGroupId"]);
  const group = app.store.state.realm_user_groups?.find((one) => one.id === id);
  if (group?.members.includes(app.me)) element.classList.add("mention-me");
  if (group) makeButton(element, () => openGroup(app, id, element));
}

/** What another site does not give becomes the link to it. */
function showMissing(image: HTMLImageElement | null): void {
  const link = image?.closest("a");
  if (!link || !image?.src.includes("/external_content/")) return;
  image.addEventListener("error", () => {
    const plain = link.cloneNode();
    if (!(plain instanceof HTMLAnchorElement)) return;
    plain.textContent = link.title || link.href;
    makeLink(plain);
    link.replaceWith(plain);
  });
}

function makeImage(image: HTMLImageElement | null, app: App): void {
  if (!image) return;
  const link = image.closest("a");
  image.loading = "lazy";
  image.alt ||= link?.title || t.image;
  // Reserves the space of the image before it is loaded.
  const [, width, height] = /^(\d+)x(\d+)$/.exec(image.dataset["originalDimensions"] ?? "") ?? [];
  if (width && height) {
    image.width = Number(width);
    image.height = Number(height);
  }
  holdStill(image, app.animation);
  showMissing(image);
  const open = (event: Event) => {
    event.preventDefault();
    openViewer(app.ui.focus, image);
  };
  if (link) {
    link.addEventListener("click", (event) => {
      if (!event.metaKey && !event.ctrlKey) open(event);
    });
    return;
  }
  image.tabIndex = 0;
  image.setAttribute("role", "button");
  image.addEventListener("click", open);
  image.addEventListener("keydown", (event) => {
    if (event.key === "Enter") open(event);
  });
}

/** Plays the video in place. The link around it is for pages that cannot. */
function makeVideo(video: HTMLVideoElement): void {
  video.controls = true;
  // Its poster is there to be seen. A phone need not fetch the film besides.
  if (video.poster !== "") video.preload = "none";
  const link = video.closest("a");
  if (link) link.replaceWith(video);
}

/** Plays sound in our own player, which comes when there is some. Returns what ends it. */
function makeAudio(audio: HTMLAudioElement): () => void {
  // A conversation that is only read fetches none of it.
  audio.preload = "none";
  let end: (() => void) | undefined;
  let isOver = false;
  void import("./sound-player.ts").then(
    ({ makePlayer }) => {
      if (!isOver) end = makePlayer(audio);
    },
    // The browser's own player is there.
    () => {},
  );
  return () => {
    isOver = true;
    end?.();
  };
}

function makeLink(link: HTMLAnchorElement): void {
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  } else if (url.pathname !== "/") {
    // A file, or another page of the server: the conversation stays open beside it.
    link.target = "_blank";
  } else if (url.hash) link.href = url.hash;
}
