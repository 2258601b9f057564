/** Moves channels and folders on the left side: by dragging, and by Alt with the arrows. */
import { type Signal, signal } from "@preact/signals";
import type { App } from "../../model/app.ts";
import type { Channel } from "../../model/channels.ts";
import {
  keyOfFolder,
  liveFolders,
  mayMoveTo,
  moveChannel,
  moveFolder,
  nextPlace,
  placesOf,
} from "../../model/lists/folders.ts";
import type { SideRow } from "./sidebar-rows.ts";

type Moved = { kind: "channel"; id: number } | { kind: "folder"; id: number };

/** The title of the section that what is dragged would come to. A folder comes before or after another. */
export interface DropTarget {
  section: string;
  side: "in" | "before" | "after";
}

export class SideMoves {
  #dragged: Moved | undefined;
  /** Whether places without channels are to be shown, for one to come to. */
  readonly isChannelDragged: Signal<boolean> = signal(false);
  readonly target: Signal<DropTarget | undefined> = signal(undefined);
  /** What was moved by keys, and its row then: it is followed to where it comes to. */
  #followed: { key: string; at: number; selector: string } | undefined;

  constructor(
    private readonly app: App,
    private readonly rows: () => readonly SideRow[],
  ) {}

  /** The row that was moved by keys, once it has come to another place. */
  arrived(rows: readonly SideRow[]): { at: number; selector: string } | undefined {
    if (!this.#followed) return undefined;
    const { key, at: before, selector } = this.#followed;
    const at = rows.findIndex((row) => row.key === key);
    if (at === before) return undefined;
    this.#followed = undefined;
    return at < 0 ? undefined : { at, selector };
  }

  readonly start = (event: DragEvent): void => {
    const moved = movedAt(event);
    const channel = moved && this.#channel(moved);
    const isMovable = channel
      ? placesOf(this.app).some(({ key }) => mayMoveTo(this.app, channel, key))
      : moved?.kind === "folder" && this.app.permissions.isAdmin;
    if (!moved || !isMovable || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = "all";
    // Browsers drag nothing that has no data. A channel's link has some of its own.
    if (moved.kind === "folder") event.dataTransfer.setData("text/plain", keyOfFolder(moved.id));
    this.#dragged = moved;
    // A browser that finds other rows in the same step drags nothing.
    setTimeout(() => (this.isChannelDragged.value = this.#dragged?.kind === "channel"));
  };

  readonly over = (event: DragEvent): void => {
    const target = this.#targetAt(event);
    const now = this.target.peek();
    if (target?.section !== now?.section || target?.side !== now?.side) this.target.value = target;
    if (!target || !event.dataTransfer) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  };

  readonly leave = (event: DragEvent & { currentTarget: Element }): void => {
    if (!(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
      this.target.value = undefined;
  };

  readonly drop = (event: DragEvent): void => {
    const [moved, target] = [this.#dragged, this.#targetAt(event)];
    this.end();
    if (!moved || !target) return;
    event.preventDefault();
    const channel = this.#channel(moved);
    if (channel) void moveChannel(this.app, channel, target.section);
    else this.#putFolder(moved.id, target);
  };

  readonly end = (): void => {
    this.#dragged = undefined;
    this.isChannelDragged.value = false;
    this.target.value = undefined;
  };

  readonly press = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : undefined;
    const moved = movedAt(event);
    if (!step || !moved || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const channel = this.#channel(moved);
    if (channel) {
      const next = nextPlace(this.app, channel, step);
      if (next === undefined) return;
      this.#follow(`c${moved.id}`, `[data-channel="${moved.id}"] a`);
      void moveChannel(this.app, channel, next);
    } else if (moved.kind === "folder") {
      this.#follow(keyOfFolder(moved.id), `[data-folder="${moved.id}"] button`);
      const at = liveFolders(this.app).findIndex(({ id }) => id === moved.id);
      void moveFolder(this.app, moved.id, at + step);
    }
  };

  #follow(key: string, selector: string): void {
    this.#followed = { key, selector, at: this.rows().findIndex((row) => row.key === key) };
  }

  #channel({ kind, id }: Moved): Channel | undefined {
    return kind === "channel" ? this.app.channels.get(id) : undefined;
  }

  #targetAt(event: DragEvent): DropTarget | undefined {
    const moved = this.#dragged;
    const row = elementAt(event)?.closest<HTMLElement>("[data-section]");
    const section = row?.dataset["section"];
    if (!moved || !row || !section) return undefined;
    const channel = this.#channel(moved);
    if (channel) return mayMoveTo(this.app, channel, section) ? { section, side: "in" } : undefined;
    if (!liveFolders(this.app).some(({ id }) => keyOfFolder(id) === section && id !== moved.id)) return undefined;
    const { top, height } = row.getBoundingClientRect();
    const isAbove = row.dataset["folder"] !== undefined && event.clientY < top + height / 2;
    return { section, side: isAbove ? "before" : "after" };
  }

  #putFolder(id: number, { section, side }: DropTarget): void {
    const others = liveFolders(this.app).filter((folder) => folder.id !== id);
    const at = others.findIndex((folder) => keyOfFolder(folder.id) === section);
    void moveFolder(this.app, id, side === "before" ? at : at + 1);
  }
}

const elementAt = ({ target }: Event): Element | null => (target instanceof Element ? target : null);

/** The channel or the folder of the row that an event is at. */
function movedAt(event: Event): Moved | undefined {
  const row = elementAt(event)?.closest<HTMLElement>("[data-channel], [data-folder]");
  const { channel, folder } = row?.dataset ?? {};
  if (channel !== undefined) return { kind: "channel", id: Number(channel) };
  return folder === undefined ? undefined : { kind: "folder", id: Number(folder) };
}
