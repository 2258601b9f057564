/** What is said of a file: its kind and its size. */
import { perLanguage } from "../../languages/speaking.ts";
import { t } from "../../texts.ts";

const formatOf = (unit: "kilobyte" | "megabyte" | "gigabyte") =>
  perLanguage((locale) => new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }));
const [kilobytes, megabytes, gigabytes] = [formatOf("kilobyte"), formatOf("megabyte"), formatOf("gigabyte")];

/** A number of bytes as people say it. */
export function sizeWords(bytes: number): string {
  if (bytes >= 999_950_000) return gigabytes().format(bytes / 1e9);
  if (bytes >= 999_950) return megabytes().format(bytes / 1e6);
  // A few bytes are not nothing.
  return kilobytes().format(Math.max(0.1, bytes / 1000));
}

const percent = perLanguage((locale) => new Intl.NumberFormat(locale, { style: "percent" }));
export const shareWords = (share: number): string => percent().format(share);

/** What a file is, by its name: "PDF". */
export const kindWords = (name: string): string => /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toUpperCase() ?? t.file;

/** Kind and size, as far as that is known. */
export const fileWords = (name: string, bytes: number | undefined): string =>
  bytes === undefined ? kindWords(name) : `${kindWords(name)} · ${sizeWords(bytes)}`;
