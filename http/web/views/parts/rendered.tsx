/** A text that the server rendered from Markdown, outside of messages. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { nodesOf } from "../messages/rendered-html.ts";

export function Rendered({ html }: { html: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const nodes = nodesOf(html);
    for (const link of nodes.querySelectorAll("a")) {
      link.target = "_blank";
      link.rel = "noopener noreferrer";
    }
    place.current?.replaceChildren(nodes);
  }, [html]);
  return <div ref={place} class="content" dir="auto" />;
}
