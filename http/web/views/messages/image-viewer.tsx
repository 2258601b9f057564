/** Shows the images of the shown messages over the page, one at a time. Each can be enlarged, and moved then. */
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

const maxScale = 8;
/** What is left of 1 after steps there and back. */
const smallest = 1.01;

/** What enlarges a picture. */
interface Zoom {
  /** 1 is as large as fits. */
  scale: number;
  in(): void;
  out(): void;
  reset(): void;
}

/** By the wheel, by two fingers, and by a double click, which also makes it small again. @param tell told of changes */
async function makeZoom(picture: HTMLImageElement, tell: (zoom: Zoom) => void): Promise<() => void> {
  const { default: Panzoom } = await import("@panzoom/panzoom");
  const zoom = Panzoom(picture, { minScale: 1, maxScale, panOnlyWhenZoomed: true, cursor: "" });
  const animate = matchMedia("(prefers-reduced-motion: no-preference)").matches;
  const reset = () => zoom.reset({ animate });
  const show = () =>
    tell({
      scale: zoom.getScale(),
      in: () => zoom.zoomIn({ animate }),
      out: () => zoom.zoomOut({ animate }),
      reset,
    });
  picture.addEventListener("panzoomchange", () => {
    const { x, y } = zoom.getPan();
    // As large as fits, it is where it was.
    if (zoom.getScale() < smallest && (x !== 0 || y !== 0)) zoom.pan(0, 0, { force: true });
    show();
  });
  picture.addEventListener("dblclick", (event) => {
    if (zoom.getScale() < smallest) zoom.zoomToPoint(2, event);
    else reset();
  });
  picture.addEventListener("wheel", zoom.zoomWithWheel, { passive: false });
  show();
  return () => zoom.destroy();
}

interface PictureProps {
  src: string;
  alt: string;
  /** Told when it can be enlarged, of each change, and of its end. */
  tell(zoom: Zoom | undefined): void;
}

function Picture({ src, alt, tell }: PictureProps) {
  const image = useRef<HTMLImageElement>(null);
  useLayoutEffect(() => {
    const picture = image.current;
    if (!picture) return undefined;
    let isOver = false;
    const made = makeZoom(picture, (zoom) => isOver || tell(zoom));
    // Without it the picture is shown as large as fits.
    const ended = made.catch(() => () => {});
    return () => {
      isOver = true;
      tell(undefined);
      void ended.then((end) => end());
    };
  }, []);
  return <img ref={image} src={src} alt={alt} />;
}

function Tools({ zoom, original, end }: { zoom: Zoom | undefined; original: string; end(): void }) {
  const { scale = 1 } = zoom ?? {};
  // A button that cannot be pressed keeps the focus, and with it the keys.
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={t.zoomOut}
        aria-disabled={scale < smallest}
        onClick={() => zoom?.out()}
      >
        <Icon name="minus" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={t.zoomIn}
        aria-disabled={!zoom || scale >= maxScale}
        onClick={() => zoom?.in()}
      >
        <Icon name="plus" />
      </button>
      <a href={original} download class="icon-button" aria-label={t.download}>
        <Icon name="download" />
      </a>
      <button type="button" class="icon-button" aria-label={t.close} onClick={end}>
        <Icon name="close" />
      </button>
    </>
  );
}

function Steps({ at, count, go }: { at: number; count: number; go(by: number): void }) {
  return (
    <footer>
      <button type="button" class="icon-button" aria-label={t.previous} aria-disabled={at === 0} onClick={() => go(-1)}>
        <Icon name="left" />
      </button>
      <span>
        {at + 1} / {count}
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={t.next}
        aria-disabled={at === count - 1}
        onClick={() => go(1)}
      >
        <Icon name="right" />
      </button>
    </footer>
  );
}

interface Props {
  focus: Focus;
  shown: readonly Shown[];
  first: number;
  close(): void;
}

function Viewer({ focus, shown, first, close }: Props) {
  const [at, setAt] = useState(first);
  const [zoom, setZoom] = useState<Zoom | undefined>(undefined);
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
        if (event.key === "+" || event.key === "=") zoom?.in();
        if (event.key === "-") zoom?.out();
        if (event.key === "0") zoom?.reset();
        event.stopPropagation();
      }}
    >
      <header>
        <span dir="auto">{title}</span>
        <Tools zoom={zoom} original={original} end={end} />
      </header>
      <div class="viewer-frame">
        <Picture key={src} src={src} alt={title || t.image} tell={setZoom} />
      </div>
      {shown.length > 1 && <Steps at={at} count={shown.length} go={go} />}
    </dialog>
  );
}
