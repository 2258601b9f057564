import type { App } from "../../model/app.ts";

/** Edits the person's last message of the open list that may be edited. Returns whether there is one. */
export function editLast(app: App): boolean {
  const ids = app.open.list.peek()?.ids ?? [];
  const last = ids.findLast((id) => {
    const message = app.lists.cache.get(id);
    return message !== undefined && app.permissions.edits(message);
  });
  if (last === undefined) return false;
  app.ui.edit(last);
  return true;
}
