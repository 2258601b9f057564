/** Files that a message links to: cards with kind and size, and several pictures as a grid. */
import { effect } from "@preact/signals";
import type { App } from "../../model/app.ts";
import { uploadAt } from "../../model/files/sizes.ts";
import { fileWords, kindWords } from "../parts/file-words.ts";

/** Pictures of a grid that are shown. The viewer shows the others as well. */
const maxInGrid = 6;

/**
 * Makes cards of links that have a line to themselves. Returns what ends their waiting for sizes.
 *
 * @param links those to uploads
 */
export function showFiles(root: DocumentFragment, links: readonly HTMLAnchorElement[], app: App): () => void {
  const previewed = new Set(
    [...root.querySelectorAll(".message_inline_image:not(.message_inline_video) a")].map((one) =>
      one.getAttribute("href"),
    ),
  );
  const ends = links.flatMap((link) => {
    const url = link.getAttribute("href") ?? "";
    const path = uploadAt(url);
    if (path === undefined || link.childElementCount > 0 || !hasOwnLine(link)) return [];
    if (!previewed.has(url)) return [makeCard(link, path, app)];
    // The picture below says the same.
    if (link.textContent === path.replace(/^.*\//, "")) removeLine(link);
    return [];
  });
  return () => {
    for (const end of ends) end();
  };
}

const isBlank = (node: Node | null): node is Text => node instanceof Text && node.data.trim() === "";
const isBreak = (node: Node | null): boolean =>
  node === null ||
  node instanceof HTMLBRElement ||
  (node instanceof HTMLAnchorElement && node.classList.contains("file-card"));

/** The node before or after one, without white space. */
function beside(node: Node, side: "previousSibling" | "nextSibling"): Node | null {
  let at = node[side];
  while (isBlank(at)) at = at[side];
  return at;
}

const hasOwnLine = (link: HTMLAnchorElement): boolean =>
  link.parentElement instanceof HTMLParagraphElement &&
  isBreak(beside(link, "previousSibling")) &&
  isBreak(beside(link, "nextSibling"));

/** Nothing is left of a paragraph that said nothing else. */
function removeLine(link: HTMLAnchorElement): void {
  const paragraph = link.parentElement;
  const end = beside(link, "nextSibling") ?? beside(link, "previousSibling");
  if (end instanceof HTMLBRElement) end.remove();
  link.remove();
  if (paragraph && paragraph.childElementCount === 0 && paragraph.textContent?.trim() === "") paragraph.remove();
}

function makeCard(link: HTMLAnchorElement, path: string, app: App): () => void {
  const span = (name: string, ...inner: (Node | string)[]) => {
    const element = document.createElement("span");
    element.className = name;
    element.append(...inner);
    return element;
  };
  const after = beside(link, "nextSibling");
  // A card ends its line by itself.
  if (after instanceof HTMLBRElement) after.remove();
  const kind = span("file-kind", kindWords(path));
  kind.ariaHidden = "true";
  const facts = span("file-facts soft");
  link.title = path.replace(/^.*\//, "");
  const name = span("ellipsis", ...link.childNodes);
  name.dir = "auto";
  link.append(kind, span("file-says", name, " ", facts));
  link.classList.add("file-card");
  return effect(() => {
    facts.textContent = fileWords(path, app.fileSizes.of(path));
  });
}

const isShownPicture = (element: Element | null): element is HTMLElement =>
  element instanceof HTMLElement &&
  element.classList.contains("message_inline_image") &&
  !element.matches(".message_inline_video, .youtube-video");

/** Pictures that follow one another stand in a grid. Each has its place there before it is loaded. */
export function gatherPictures(root: DocumentFragment): void {
  for (const first of root.querySelectorAll(".message_inline_image")) {
    if (!isShownPicture(first) || first.closest(".gallery")) continue;
    const pictures: HTMLElement[] = [first];
    for (let next = first.nextElementSibling; isShownPicture(next); next = next.nextElementSibling) pictures.push(next);
    if (pictures.length < 2) continue;
    const gallery = document.createElement("div");
    gallery.className = "gallery";
    gallery.dataset["count"] = String(pictures.length);
    first.before(gallery);
    gallery.append(...pictures);
    const hidden = pictures.slice(maxInGrid);
    for (const picture of hidden) picture.hidden = true;
    const last = pictures[maxInGrid - 1]?.querySelector("a");
    if (last && hidden.length > 0) last.dataset["more"] = `+${hidden.length}`;
  }
}
