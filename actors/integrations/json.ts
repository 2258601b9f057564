import type { Integration } from "./integration.ts";

/** Room for the fence in a message. */
const maxShown = 9900;

/** Anything at all, shown as it is. */
export const json: Integration = {
  name: "json",
  displayName: "JSON formatter",
  read({ payload }) {
    const text = payload.pretty();
    const shown = text.length > maxShown ? `${text.slice(0, maxShown)}\n…` : text;
    const fence = "`".repeat(Math.max(3, ...[...shown.matchAll(/`{3,}/g)].map(([run]) => run.length + 1)));
    return { topic: "JSON", content: `${fence}json\n${shown}\n${fence}` };
  },
};
