/** How what another program exported becomes text of ours. */

/** How texts of the program become ours, and who counts what does not come along. */
export interface Reading {
  /** With markup. */
  text(text: string): string;
  /** Without markup. */
  plain(text: string): string;
  note(what: string, count?: number): void;
  onOther(): void;
}

export const isAddress = (url: string | null | undefined): url is string => /^https?:\/\/[^\s<>()]+$/.test(url ?? "");

export const linkTo = (url: string, label: string): string =>
  label === "" || label === url ? url : `[${label.replace(/[[\]\n]/g, "")}](${url})`;
