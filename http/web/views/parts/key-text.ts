import { t } from "../../texts.ts";

/** A key, alone or with others, as keyboards have it printed. */
export const keyText = (key: string): string =>
  key
    .split(/(?<=.)\+/)
    .map((part) => t.keyNames[part] ?? part)
    .join(" ");
