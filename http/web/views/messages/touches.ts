/**
 * What fingers do with messages: a tap selects one, a long press opens what can be done with it, and a swipe along the
 * line replies.
 */
import type { Message } from "../../../client/types.ts";
import { isTurned } from "../../languages/speaking.ts";
import type { App } from "../../model/app.ts";
import { openMessageMenu } from "../frame/menus.tsx";

/** The system's own long press comes after this. */
const longPressMs = 450;
/** A finger that rests moves by less than this, in pixels. */
const restPx = 10;
/** A swipe this long replies, and the message follows it a little further. */
export const replyPx = 56;
const mostPx = 80;
/** Near the edge the system goes back. */
const edgePx = 24;

/** What has a long press of its own, such as the link that the system opens a menu of. */
const pressable = "a, button, input, textarea, select, video, audio, label";

interface Touch {
  article: HTMLElement;
  message: Message;
  x: number;
  y: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** A swipe's length, once it is one. */
  swipe: number | undefined;
  isPressed: boolean;
}

export function listenToTouches(app: App): void {
  let touch: Touch | undefined;
  /** The finger that is lifted next has opened something: it is not to press what lies under it now. */
  let hasOpened = false;
  const end = () => {
    if (!touch) return;
    clearTimeout(touch.timer);
    touch.article.style.translate = "";
    delete touch.article.dataset["swipe"];
    touch = undefined;
  };
  document.addEventListener("pointerdown", (event) => {
    end();
    hasOpened = false;
    if (event.pointerType === "touch" && event.isPrimary) touch = begun(app, event);
  });
  document.addEventListener("pointermove", (event) => {
    if (touch && event.pointerType === "touch" && !follow(touch, event)) end();
  });
  document.addEventListener("pointerup", () => {
    const { swipe = 0, message, isPressed = false } = touch ?? {};
    hasOpened = isPressed;
    end();
    if (message && swipe >= replyPx) app.compose.reply(message);
  });
  document.addEventListener("touchend", (event) => hasOpened && event.preventDefault(), { passive: false });
  // By the click: what shows up under the finger earlier would be pressed by it.
  document.addEventListener("click", (event) => {
    if (!(event instanceof PointerEvent) || event.pointerType !== "touch") return;
    const message = messageAt(app, event.target)?.message;
    if (message) app.ui.selected.value = message.id;
  });
  document.addEventListener("pointercancel", end);
  document.addEventListener("contextmenu", (event) => touch?.isPressed && event.preventDefault());
}

function messageAt(app: App, target: EventTarget | null): Pick<Touch, "article" | "message"> | undefined {
  const article = target instanceof Element ? target.closest<HTMLElement>(".message[data-message-id]") : null;
  const message = article && app.lists.cache.get(Number(article.dataset["messageId"]));
  return message ? { article, message } : undefined;
}

function begun(app: App, { target, clientX: x, clientY: y }: PointerEvent): Touch | undefined {
  const at = app.permissions.isLoggedIn ? messageAt(app, target) : undefined;
  if (!at || at.article.querySelector(".message-editor") || x < edgePx || x > innerWidth - edgePx) return undefined;
  const { article, message } = at;
  const touch: Touch = { article, message, x, y, timer: undefined, swipe: undefined, isPressed: false };
  if (!(target instanceof Element && target.closest(pressable)))
    touch.timer = setTimeout(() => {
      touch.isPressed = true;
      app.ui.selected.value = message.id;
      openMessageMenu(app, article, message);
    }, longPressMs);
  return touch;
}

/** Returns whether it may still become something. */
function follow(touch: Touch, { clientX, clientY }: PointerEvent): boolean {
  if (touch.isPressed) return true;
  const along = (clientX - touch.x) * (isTurned() ? -1 : 1);
  const across = Math.abs(clientY - touch.y);
  if (touch.swipe === undefined) {
    if (Math.max(Math.abs(along), across) < restPx) return true;
    if (along < across * 1.5) return false;
    clearTimeout(touch.timer);
  }
  touch.swipe = Math.max(0, Math.min(mostPx, along));
  touch.article.style.translate = `${isTurned() ? -touch.swipe : touch.swipe}px`;
  touch.article.dataset["swipe"] = touch.swipe >= replyPx ? "ready" : "";
  return true;
}
