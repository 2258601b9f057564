/** Opens the picker of emoji, which is loaded on first use. */
import type { App } from "../../model/app.ts";
import type { Emoji } from "../../model/emoji.ts";
import { t } from "../../texts.ts";
import { lazy } from "./lazy.tsx";

const LazyEmojiPicker = lazy(() => import("../dialogs/emoji-picker.tsx").then((module) => module.EmojiPicker));

/** @param hasTones whether a tone of skin can be chosen: what is written can have one, and reactions cannot */
export function openEmojiPicker(app: App, of: Element, choose: (emoji: Emoji) => void, hasTones = false): void {
  app.ui.openMenu(of, t.emoji, () => (
    <LazyEmojiPicker
      hasTones={hasTones}
      choose={(emoji) => {
        app.emoji.use(emoji);
        // A text that the emoji is put into takes the focus.
        app.ui.closeMenu(!hasTones);
        choose(emoji);
      }}
    />
  ));
}
