/** Transient state of the page: notes, dialogs, menus, the selected message. */
import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { MessageId } from "../../client/types.ts";
import { Focus, type Give } from "../focus.ts";

export interface Note {
  id: number;
  text: string;
  kind: "done" | "problem";
  action?: { label: string; run(): void } | undefined;
}

export interface OpenMenu {
  /** The position of the element that it belongs to. */
  anchor: DOMRect;
  content: () => ComponentChildren;
  label: string;
  /** Gives the focus into the menu, when it is drawn. */
  take: Give;
}

const noteMs = 6000;

export class Ui {
  readonly focus = new Focus();
  readonly notes: Signal<readonly Note[]> = signal([]);
  readonly dialogs: Signal<readonly (() => ComponentChildren)[]> = signal([]);
  readonly menu: Signal<OpenMenu | undefined> = signal(undefined);
  /** The message that keys act on. */
  readonly selected: Signal<MessageId | undefined> = signal(undefined);
  readonly editing: Signal<MessageId | undefined> = signal(undefined);
  /** What was begun of the edit of a message. */
  begun: { id: MessageId; text: string } | undefined;
  readonly isLeftOpen: Signal<boolean> = signal(false);
  readonly #isWide = matchMedia("(min-width: 1180px)");
  /** The people lie over the page then. */
  readonly #isNarrow = matchMedia("(max-width: 1000px)");
  readonly isRightOpen: Signal<boolean> = signal(this.#isWide.matches);
  readonly #isSmall = matchMedia("(max-width: 760px)");
  /** Whether the window is as narrow as a phone's: menus are sheets then, and a bar leads to places. */
  readonly isPhone: Signal<boolean> = signal(this.#isSmall.matches);
  readonly #isCoarse = matchMedia("(pointer: coarse)");
  /** The next announcement for screen readers. */
  readonly announcement: Signal<string> = signal("");
  /** Whether what the page was opened at is drawn. What takes long beside it waits for that. */
  readonly isSettled: Signal<boolean> = signal(false);
  /** When the minute changed last, in milliseconds: what says how long ago something was is drawn again. */
  readonly minute: Signal<number> = signal(Date.now());
  /** Of the message that the pointer is at. */
  #pointedAt: Signal<boolean> | undefined;
  #count = 0;
  /** What had the focus before the menu. */
  #beforeMenu: Element | undefined;
  #takeEditor: Give | undefined;

  constructor() {
    setInterval(() => (this.minute.value = Date.now()), 60_000);
    this.#isSmall.addEventListener("change", ({ matches }) => (this.isPhone.value = matches));
    // Where there is no room for the people beside the text, they would lie over it.
    let isOpenWhenWide = true;
    this.#isWide.addEventListener("change", ({ matches }) => {
      if (!matches) isOpenWhenWide = this.isRightOpen.peek();
      this.isRightOpen.value = matches && isOpenWhenWide;
    });
  }

  /** Whether fingers point. */
  get isTouched(): boolean {
    return this.#isCoarse.matches;
  }

  note(text: string, kind: Note["kind"] = "done", action?: Note["action"]): void {
    const id = ++this.#count;
    this.notes.value = [...this.notes.value.slice(-2), { id, text, kind, action }];
    setTimeout(() => this.dismiss(id), kind === "problem" ? noteMs * 2 : noteMs);
  }

  dismiss(id: number): void {
    this.notes.value = this.notes.value.filter((note) => note.id !== id);
  }

  /** @param message whether the pointer is at it; undefined for none */
  pointAt(message: Signal<boolean> | undefined): void {
    if (this.#pointedAt) this.#pointedAt.value = false;
    this.#pointedAt = message;
    if (message) message.value = true;
  }

  openDialog(content: () => ComponentChildren): void {
    this.closeMenu();
    this.dialogs.value = [...this.dialogs.value, content];
  }

  /** Shows what asks the person who they are. The page sets it. */
  identityDialog: ((done: (isShown: boolean) => void) => ComponentChildren) | undefined;

  /** Asks the person to show again who they are. Returns whether they did. */
  askIdentity(): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.identityDialog) this.openDialog(() => this.identityDialog?.(resolve));
      else resolve(false);
    });
  }

  /** Closes what lies over the place that is left. */
  leavePlace(): void {
    this.closeMenu(false);
    this.closeSides();
  }

  /** Closes the sides that lie over the page. Returns whether there was one. */
  closeSides(): boolean {
    const isOver = this.#isUnderSide();
    this.isLeftOpen.value = false;
    if (this.#isNarrow.matches) this.isRightOpen.value = false;
    return isOver;
  }

  /** Whether a dialog or a side lies over the open place. */
  isCovered(): boolean {
    // Whoever asks in an effect hears of all three.
    void [this.isLeftOpen.value, this.isRightOpen.value];
    return this.focus.dialogs.value > 0 || this.#isUnderSide();
  }

  #isUnderSide(): boolean {
    return this.isLeftOpen.peek() || (this.isRightOpen.peek() && this.#isNarrow.matches);
  }

  /** Closes all dialogs. */
  closeDialogs(): void {
    this.dialogs.value = [];
  }

  closeDialog(): void {
    this.dialogs.value = this.dialogs.value.slice(0, -1);
  }

  openMenu(of: Element, label: string, content: OpenMenu["content"]): void {
    const holder = document.activeElement;
    // One menu may open another. Its element may have no focus of its own, such as the row that a key is about.
    if (!holder?.closest(menuSelector)) this.#beforeMenu = holder === document.body ? of : (holder ?? of);
    this.menu.value = { anchor: of.getBoundingClientRect(), label, content, take: this.focus.later() };
  }

  /** Closes the menu. If it has the focus, that goes back to what had it before, unless it is to go elsewhere. */
  closeMenu(returnsFocus = true): void {
    if (!this.menu.peek()) return;
    this.menu.value = undefined;
    const holder = document.activeElement;
    const isHeld = holder === document.body || !!holder?.closest(menuSelector);
    if (returnsFocus && isHeld && this.#beforeMenu instanceof HTMLElement) this.focus.later()(this.#beforeMenu);
  }

  /** Opens a message for editing, or its source. */
  edit(message: MessageId): void {
    this.#takeEditor = this.focus.later();
    this.editing.value = message;
  }

  /** Gives the editor the focus, as it comes or goes. */
  readonly takeEditor: Give = (element, options) => this.#takeEditor?.(element, options) ?? false;
}

/** What holds the open menu. */
const menuSelector = ".menu";
