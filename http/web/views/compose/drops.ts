/** Files that are dropped anywhere on the page are attached to what is being written. */
import type { App } from "../../model/app.ts";
import { t } from "../../texts.ts";

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

export function listenToDrops(app: App): void {
  const { isDragging } = app.compose;
  // A browser leaves the page for a file whose drop nobody takes.
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    isDragging.value = document.querySelector("#compose-text") !== null;
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) isDragging.value = false;
  });
  addEventListener("drop", (event) => {
    isDragging.value = false;
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    if (document.querySelector("#compose-text") === null) app.ui.note(t.dropNeedsPlace, "problem");
    else if (event.dataTransfer) app.compose.attach(event.dataTransfer.files);
  });
}
