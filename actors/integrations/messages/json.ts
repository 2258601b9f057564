import type { Integration } from "../notice/integration.ts";
import { block, cut } from "../notice/markdown.ts";

/** Room for the fence in a message. */
const maxShown = 9900;

/** Anything at all, shown as it is. */
export const json: Integration = {
  name: "json",
  displayName: "JSON formatter",
  read({ payload }) {
    const text = payload.pretty();
    return { topic: "JSON", content: block(text.length > maxShown ? `${cut(text, maxShown)}\n…` : text, "json") };
  },
};
