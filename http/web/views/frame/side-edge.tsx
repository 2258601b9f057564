/** The inner edge of a side, which sets its width: dragged, or moved by the arrow keys. */
import { isTurned } from "../../languages/speaking.ts";
import { useApp } from "../../model/app.ts";
import { bounds, type Side } from "../../model/appearance.ts";
import { t } from "../../texts.ts";

/** Pixels that an arrow key moves it. */
const step = 16;

export function SideEdge({ of: side }: { of: Side }) {
  const { sides } = useApp();
  const { least, most } = bounds[side];
  const width = sides[side].value;
  // Whether the side grows as the edge goes to the right.
  const grows = (): boolean => (side === "left") !== isTurned();
  return (
    <div
      class={`side-edge of-${side}`}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={side === "left" ? t.leftWidth : t.rightWidth}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      // Once the edge has moved on, a link is where the button went down, and would be dragged instead.
      onMouseDown={(event) => event.preventDefault()}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={({ currentTarget, pointerId, clientX }) => {
        if (!currentTarget.hasPointerCapture(pointerId)) return;
        const { left = 0, right = 0 } = document.querySelector(`.${side}`)?.getBoundingClientRect() ?? {};
        sides.set(side, grows() ? clientX - left : right - clientX);
      }}
      onDblClick={() => sides.set(side, undefined)}
      onKeyDown={(event) => {
        const by = { ArrowRight: grows() ? step : -step, ArrowLeft: grows() ? -step : step }[event.key];
        const to = { Home: least, End: most }[event.key];
        const now = to ?? (by === undefined ? undefined : width + by);
        if (now === undefined) return;
        event.preventDefault();
        sides.set(side, now);
      }}
    />
  );
}
