/** The keyboard: runs the commands of the table by their keys. */
import type { App } from "../../model/app.ts";
import { commandGroups } from "./commands.tsx";
import { focusList } from "./moving.ts";

export function listenToKeys(app: App): void {
  const { commands } = app;
  commands.groups = commandGroups;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const { target } = event;
    if (!(target instanceof HTMLElement)) return;
    app.route.catchUp();
    const isTyping = target.matches("input, textarea, select, [contenteditable]");
    if (event.ctrlKey || event.metaKey) {
      const command = event.altKey || event.shiftKey ? undefined : commands.of(`Ctrl+${event.key}`);
      if (!command || app.ui.dialogs.peek().length > 0) return;
      event.preventDefault();
      if (event.key === "[") leave(app, isTyping, target);
      else if (commands.isOffered(command)) command.run?.(app);
      return;
    }
    if (event.altKey) return;
    if (event.key === "Escape") leave(app, isTyping, target);
    if (isTyping || app.ui.dialogs.peek().length > 0 || app.ui.menu.peek() || document.querySelector("dialog[open]"))
      return;
    // These keys press the focused button.
    if ((event.key === "Enter" || event.key === " ") && target.closest("button, a, [role=button]")) return;
    const command = commands.of(event.key);
    if (!command?.run || app.route.overlay.peek() || !commands.isOffered(command)) return;
    command.run(app);
    event.preventDefault();
  });
}

function leave(app: App, isTyping: boolean, target: HTMLElement): void {
  // A dialog handles its own keys.
  if (app.ui.dialogs.peek().length > 0 || document.querySelector("dialog[open]")) return;
  if (app.ui.menu.peek()) app.ui.closeMenu();
  else if (app.ui.closeSides()) return;
  else if (isTyping) {
    target.blur();
    focusList();
  } else if (app.ui.selected.peek() !== undefined) app.ui.selected.value = undefined;
  else if (!app.route.overlay.peek()) {
    const staysThere = app.store.state.user_settings?.["web_escape_navigates_to_home_view"] === false;
    if (!staysThere) app.route.go(app.home);
  }
}
