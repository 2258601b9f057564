/** Layers over the page: dialogs, one menu, notes. */
import { type ComponentChildren, createContext, type TargetedKeyboardEvent } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { isTurned } from "../../languages/speaking.ts";
import { useApp } from "../../model/app.ts";
import type { OpenMenu } from "../../model/ui.ts";
import { t } from "../../texts.ts";
import { Icon, type IconName } from "../parts/icons.tsx";

/** Whether a dialog is open. Nothing outside of it can be reached then, so menus and notes are drawn inside of it. */
const OnTop = createContext(false);

export function Dialogs() {
  const { ui } = useApp();
  const all = ui.dialogs.value;
  return (
    <>
      {all.map((content, index) => (
        <OnTop.Provider key={index} value={index === all.length - 1}>
          {content()}
        </OnTop.Provider>
      ))}
    </>
  );
}

/** The menu, notes and announcements for screen readers, in the page or in the dialog that covers it. */
export function Top() {
  const { ui } = useApp();
  const menu = ui.menu.value;
  return (
    <>
      {menu && (
        <MenuLayer key={`${menu.anchor.x} ${menu.anchor.y} ${menu.label}`} menu={menu}>
          {menu.content()}
        </MenuLayer>
      )}
      <Notes />
      <div class="visually-hidden" role="status" aria-live="polite">
        {ui.announcement.value}
      </div>
    </>
  );
}

/** A modal dialog. Escape, or a click beside it, closes it. */
export function Dialog(props: { title: string; children: ComponentChildren; wide?: boolean; onClose?(): void }) {
  const { ui } = useApp();
  const isOnTop = useContext(OnTop);
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    if (!shown) return undefined;
    ui.focus.show(shown);
    return () => ui.focus.close(shown);
  }, []);
  const close = () => (props.onClose ? props.onClose() : ui.closeDialog());
  return (
    <dialog
      ref={dialog}
      class={`dialog${props.wide ? " wide" : ""}`}
      aria-label={props.title}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <header>
        <h2>{props.title}</h2>
        <button type="button" class="icon-button" aria-label={t.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {props.children}
      {isOnTop && <Top />}
    </dialog>
  );
}

/** Pixels between a menu and the edges of the page. */
const margin = 8;

/** @param anchor what the menu opens below, or above where there is more room; undefined at the end of the page */
function putMenu(menu: HTMLElement, anchor: DOMRect | undefined): void {
  menu.style.top = menu.style.left = "";
  if (!anchor) return;
  const { width, height } = menu.getBoundingClientRect();
  const below = anchor.bottom + 4;
  const top = below + height <= innerHeight - margin ? below : Math.max(margin, anchor.top - height - 4);
  menu.style.top = `${Math.max(margin, Math.min(top, innerHeight - height - margin))}px`;
  // It ends where its element ends, or begins where that begins if there is no room.
  const [ending, beginning] = isTurned() ? [anchor.left, anchor.right - width] : [anchor.right - width, anchor.left];
  const hasRoom = ending > margin && ending + width < innerWidth - margin;
  menu.style.left = `${Math.max(margin, Math.min(hasRoom ? ending : beginning, innerWidth - width - margin))}px`;
}

function MenuLayer({ menu: { anchor, label, take }, children }: { menu: OpenMenu; children: ComponentChildren }) {
  const { ui } = useApp();
  const place = useRef<HTMLDivElement>(null);
  const put = () => {
    const menu = place.current;
    if (!menu) return;
    putMenu(menu, ui.isPhone.peek() ? undefined : anchor);
    // What is loaded on first use comes later, and has another size than what stood for it.
    if (!menu.contains(document.activeElement)) take(menu.querySelector<HTMLElement>("button, a, input, [tabindex]"));
  };
  useLayoutEffect(() => {
    put();
    const observer = new ResizeObserver(put);
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const menu = place.current;
    const away = (event: Event) => {
      // What covers the page under a sheet closes it by the whole press, which is not to reach what is under it.
      const isUnder = event.target instanceof Element && !event.target.closest(".sheet-shade");
      if (isUnder && !menu?.contains(event.target)) ui.closeMenu(false);
    };
    document.addEventListener("pointerdown", away, true);
    return () => document.removeEventListener("pointerdown", away, true);
  }, []);
  const move = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      ui.closeMenu();
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^="menuitem"]')];
    if (items.length === 0) return;
    event.preventDefault();
    const at = document.activeElement instanceof HTMLElement ? items.indexOf(document.activeElement) : -1;
    items[(at + (event.key === "ArrowDown" ? 1 : -1) + items.length) % items.length]?.focus();
  };
  // A menu has nothing but items: what shows more is a dialog, with a menu in it or none.
  useLayoutEffect(() => {
    const isMenu = place.current?.querySelector(':scope > [role="menuitem"]') != null;
    place.current?.setAttribute("role", isMenu ? "menu" : "dialog");
  });
  return (
    <section aria-label={label}>
      {ui.isPhone.value && (
        <button type="button" class="sheet-shade" tabIndex={-1} aria-label={t.close} onClick={() => ui.closeMenu()} />
      )}
      <div ref={place} class={`menu${ui.isPhone.value ? " sheet" : ""}`} aria-label={label} onKeyDown={move}>
        {children}
      </div>
    </section>
  );
}

export interface MenuItem {
  icon?: IconName;
  label: string;
  run(): void;
  isDangerous?: boolean;
  isChecked?: boolean;
}

/** The items of a menu. `undefined` separates two groups, of which either may be empty. */
export function MenuItems({ items }: { items: readonly (MenuItem | undefined | false)[] }) {
  const { ui } = useApp();
  const shown = items.filter((item) => item !== false);
  // A group without items has no line either.
  const isLine = (index: number) => shown.slice(0, index).some((item) => item) && shown[index + 1] !== undefined;
  return (
    <>
      {shown.map((item, index) =>
        item === undefined ? (
          isLine(index) && <hr key={index} />
        ) : (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            class={item.isDangerous ? "dangerous" : ""}
            {...(item.isChecked !== undefined && { "aria-current": item.isChecked })}
            onClick={() => {
              ui.closeMenu();
              item.run();
            }}
          >
            {item.icon ? <Icon name={item.icon} size={16} /> : <span class="icon-room" />}
            {item.label}
            {item.isChecked && <Icon name="check" size={14} />}
          </button>
        ),
      )}
    </>
  );
}

function Notes() {
  const { ui } = useApp();
  return (
    <div class="notes" role="status" aria-live="polite">
      {ui.notes.value.map(({ id, text, kind, action }) => (
        <div key={id} class={`note ${kind}`}>
          <span>{text}</span>
          {action && (
            <button
              type="button"
              class="link"
              onClick={() => {
                ui.dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
          <button type="button" class="icon-button small" aria-label={t.close} onClick={() => ui.dismiss(id)}>
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}

/** Asks for confirmation of something that cannot be undone. */
export function confirmDialog(
  ui: { openDialog(content: () => ComponentChildren): void; closeDialog(): void },
  { title, text, action, run }: { title: string; text: string; action: string; run(): void },
): void {
  ui.openDialog(() => (
    <Dialog title={title}>
      <p>{text}</p>
      <footer>
        <button type="button" class="button quiet" onClick={() => ui.closeDialog()}>
          {t.cancel}
        </button>
        <button
          type="button"
          class="button dangerous"
          onClick={() => {
            ui.closeDialog();
            run();
          }}
        >
          {action}
        </button>
      </footer>
    </Dialog>
  ));
}
