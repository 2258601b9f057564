/** Shows the images of the shown messages over the page, one at a time. */
import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Focus } from "../../focus.ts";
import { isTurned } from "../../languages/speaking.ts";
import { t } from "../../texts.ts";
import { Icon } from "../parts/icons.tsx";

interface Shown {
  title: string;
  /** The uploaded file. A browser may show another form of it. */
  original: string;
  src: string;
}

function shownBy(image: HTMLImageElement): Shown {
  const link = image.closest("a");
  const original = link?.href ?? image.dataset["originalSrc"] ?? image.src;
  const transcoded = image.dataset["transcodedImage"];
  // Of what is at another site the page shows its server's copy.
  const isOwn = !new URL(image.src).pathname.startsWith("/external_content/");
  const src = !isOwn ? image.src : transcoded === undefined ? original : image.src.replace(/[^/]*$/, transcoded);
  return { title: link?.title ?? image.alt, original, src };
}

/** @param image the clicked image; the others are found on the page */
export function openViewer(focus: Focus, image: HTMLImageElement): void {
  const images = [
    ...document.querySelectorAll<HTMLImageElement>(".message_inline_image:not(.youtube-video) img, img.inline-image"),
  ];
  const place = document.createElement("div");
  document.body.append(place);
  const close = () => {
    render(null, place);
    place.remove();
  };
  const first = Math.max(0, images.indexOf(image));
  render(<Viewer shown={images.map(shownBy)} first={first} close={close} focus={focus} />, place);
}

interface Props {
  focus: Focus;
  shown: readonly Shown[];
  first: number;
  close(): void;
}

function Viewer({ focus, shown, first, close }: Props) {
  const [at, setAt] = useState(first);
  const dialog = useRef<HTMLDialogElement>(null);
  const { title, original, src } = shown[at]!;
  const go = (by: number) => setAt((now) => Math.min(shown.length - 1, Math.max(0, now + by)));
  useLayoutEffect(() => {
    const opened = dialog.current;
    if (!opened) return undefined;
    focus.show(opened);
    return () => focus.close(opened);
  }, []);
  // The browser gives the focus back at once, and tells of the end later.
  const end = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      class="viewer"
      aria-label={title || t.image}
      onClose={close}
      onClick={(event) => event.target === dialog.current && end()}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") go(isTurned() ? 1 : -1);
        if (event.key === "ArrowRight") go(isTurned() ? -1 : 1);
        event.stopPropagation();
      }}
    >
      <header>
        <span dir="auto">{title}</span>
        <a href={original} download class="icon-button" aria-label={t.download}>
          <Icon name="download" />
        </a>
        <button type="button" class="icon-button" aria-label={t.close} onClick={end}>
          <Icon name="close" />
        </button>
      </header>
      <img src={src} alt={title || t.image} />
      {shown.length > 1 && (
        <footer>
          <button type="button" class="icon-button" aria-label={t.previous} disabled={at === 0} onClick={() => go(-1)}>
            <Icon name="left" />
          </button>
          <span>
            {at + 1} / {shown.length}
          </span>
          <button
            type="button"
            class="icon-button"
            aria-label={t.next}
            disabled={at === shown.length - 1}
            onClick={() => go(1)}
          >
            <Icon name="right" />
          </button>
        </footer>
      )}
    </dialog>
  );
}
