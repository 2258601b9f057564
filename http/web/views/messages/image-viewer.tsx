/** Images of the messages that are shown, one at a time over the page. */
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../texts.ts";
import { Icon } from "../parts/icons.tsx";

/** @param link of the image that was clicked; its neighbours are found on the page */
export function openViewer(link: HTMLAnchorElement): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".message_inline_image a")];
  const place = document.createElement("div");
  document.body.append(place);
  const close = () => {
    render(null, place);
    place.remove();
    link.focus();
  };
  render(<Viewer links={links} first={Math.max(0, links.indexOf(link))} close={close} />, place);
}

function Viewer({ links, first, close }: { links: readonly HTMLAnchorElement[]; first: number; close(): void }) {
  const [at, setAt] = useState(first);
  const dialog = useRef<HTMLDialogElement>(null);
  const link = links[at]!;
  const go = (by: number) => setAt((now) => Math.min(links.length - 1, Math.max(0, now + by)));
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="viewer"
      aria-label={link.title || t.image}
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") go(-1);
        if (event.key === "ArrowRight") go(1);
        event.stopPropagation();
      }}
    >
      <header>
        <span>{link.title}</span>
        <a href={link.href} download class="icon-button" aria-label={t.download}>
          <Icon name="download" />
        </a>
        <button type="button" class="icon-button" aria-label={t.close} onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <img src={link.href} alt={link.title || t.image} />
      {links.length > 1 && (
        <footer>
          <button type="button" class="icon-button" aria-label={t.previous} disabled={at === 0} onClick={() => go(-1)}>
            <Icon name="left" />
          </button>
          <span>
            {at + 1} / {links.length}
          </span>
          <button
            type="button"
            class="icon-button"
            aria-label={t.next}
            disabled={at === links.length - 1}
            onClick={() => go(1)}
          >
            <Icon name="right" />
          </button>
        </footer>
      )}
    </dialog>
  );
}
