/** Chooses an emoji by name. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../../model/app.ts";
import { useApp } from "../../model/app.ts";
import { type Emoji, popular } from "../../model/emoji.ts";
import { t } from "../../texts.ts";

const shown = 120;

export function openEmojiPicker(app: App, of: Element, choose: (emoji: Emoji) => void): void {
  app.ui.openMenu(of, t.emoji, () => (
    <EmojiPicker
      choose={(emoji) => {
        app.ui.closeMenu();
        choose(emoji);
      }}
    />
  ));
}

function EmojiPicker({ choose }: { choose(emoji: Emoji): void }) {
  const app = useApp();
  const text = useSignal("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const all = app.emoji.all;
  const first = popular.flatMap((name) => all.find((emoji) => emoji.name === name) ?? []);
  const seen = new Set<string>();
  const found = (text.value === "" ? [...first, ...all] : app.emoji.search(text.value, shown))
    .filter(({ type, code }) => !seen.has(`${type}${code}`) && seen.add(`${type}${code}`))
    .slice(0, shown);
  const move = (event: KeyboardEvent) => {
    const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".emoji-grid button")];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 }[event.key];
    if (event.key === "Enter" && document.activeElement === input.current && found[0]) choose(found[0]);
    else if (by !== undefined && (at >= 0 || event.key === "ArrowDown")) {
      event.preventDefault();
      if (at + by < 0) input.current?.focus();
      else buttons[at < 0 ? 0 : Math.min(buttons.length - 1, at + by)]?.focus();
    }
  };
  return (
    <div class="emoji-picker" onKeyDown={move}>
      <input
        ref={input}
        type="search"
        placeholder={t.search}
        aria-label={t.search}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="emoji-grid">
        {found.map((emoji) => (
          <button
            key={`${emoji.type}${emoji.code}`}
            type="button"
            title={`:${emoji.name}:`}
            aria-label={emoji.name}
            onClick={() => choose(emoji)}
          >
            {emoji.url ? <img src={emoji.url} alt="" /> : emoji.text}
          </button>
        ))}
      </div>
      {found.length === 0 && <p class="soft">{t.nothingFound}</p>}
    </div>
  );
}
