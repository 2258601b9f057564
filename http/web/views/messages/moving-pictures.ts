/** Thumbnails of pictures that move: always, under the mouse and the focus, or never, as the person wants. */

import type { App } from "../../model/app.ts";

/** The server makes a thumbnail that stands still beside the one that moves. Only the names differ. */
const stillOf = (source: string): string => source.replace(/-anim(\.\w+)$/, "$1");

/** Has a picture stand still that would move. What is not shown moving is not fetched. */
export function holdStill(image: HTMLImageElement, animation: App["animation"]): void {
  if (image.dataset["animated"] !== "true" || animation === "always") return;
  const moving = image.getAttribute("src") ?? "";
  const still = stillOf(moving);
  if (still === moving) return;
  const frame = image.closest("a") ?? image;
  const show = (source: string): void => {
    image.src = source;
    frame.toggleAttribute("data-still", source === still);
  };
  show(still);
  if (animation === "never") return;
  for (const type of ["mouseenter", "focus"]) frame.addEventListener(type, () => show(moving));
  for (const type of ["mouseleave", "blur"]) frame.addEventListener(type, () => show(still));
}
