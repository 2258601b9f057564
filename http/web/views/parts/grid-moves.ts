/** The arrows in a picker: a field, and rows of buttons below it. */
import { isTurned } from "../../languages/speaking.ts";

/**
 * Goes from one to another by the arrows, and from the field to the first and back. Each has its place as `data-at`.
 * Returns whether the key does.
 */
export function moveInGrid(event: KeyboardEvent, input: HTMLInputElement | null, columns: number): boolean {
  const onward = isTurned() ? -1 : 1;
  const by = { ArrowRight: onward, ArrowLeft: -onward, ArrowDown: columns, ArrowUp: -columns }[event.key];
  const { currentTarget: picker } = event;
  const { activeElement: now } = document;
  if (!(picker instanceof HTMLElement && now instanceof HTMLElement)) return false;
  const from = now.dataset["at"];
  if (by === undefined || (from === undefined && (now !== input || event.key !== "ArrowDown"))) return false;
  const wanted = from === undefined ? 0 : Number(from) + by;
  const buttons = [...picker.querySelectorAll<HTMLElement>("[data-at]")];
  const atOf = (button: HTMLElement) => Number(button.dataset["at"]);
  // A row may be shorter than the one before it.
  const next =
    by > 0 ? buttons.find((button) => atOf(button) >= wanted) : buttons.findLast((button) => atOf(button) <= wanted);
  const isSideways = by === 1 || by === -1;
  if (next) next.focus();
  else if (by < 0 && !isSideways) input?.focus();
  return true;
}
