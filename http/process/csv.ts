/**
 * Tables as spreadsheets write them: commas or semicolons, quotes, any end of line.
 * https://www.rfc-editor.org/rfc/rfc4180
 */
import { upTo } from "../../storage/failures.ts";

const maxRows = 100_000;

/**
 * Rows by the names in the first line, in small letters, with the line of the file in which each begins.
 *
 * @throws Error for a quote that does not end, and for more than a hundred thousand rows
 */
export function readCsv(text: string): { line: number; row: Record<string, string> }[] {
  const [header, ...rows] = cells(text.replace(/^\ufeff/, ""));
  if (!header) throw new Error("The file is empty.");
  if (rows.length > maxRows) throw new Error(`The file has more than ${maxRows} rows.`);
  const names = header.cells.map((name) => name.trim().toLowerCase());
  return rows
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ""))
    .map(({ line, cells }) => ({
      line,
      row: Object.fromEntries(names.map((name, index) => [name, (cells[index] ?? "").trim()])),
    }));
}

interface Row {
  line: number;
  cells: string[];
}

function cells(text: string): Row[] {
  const firstLine = upTo(text, /\r?\n|\r/);
  const comma = !firstLine.includes(",") && firstLine.includes(";") ? ";" : ",";
  const rows: Row[] = [];
  let row: string[] = [];
  let at = 0;
  let line = 1;
  let begun = 0;
  const endRow = () => {
    rows.push({ line, cells: row });
    row = [];
    line += text.slice(begun, at).match(/\r\n|\r|\n/g)?.length ?? 0;
    begun = at;
  };
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error(`A quote in row ${rows.length + 1} does not end.`);
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[at++];
        else break;
      }
      at++;
    }
    const start = at;
    while (at < text.length && text[at] !== comma && text[at] !== "\n" && text[at] !== "\r") at++;
    row.push(cell + text.slice(start, at));
    if (text[at] === comma) {
      at++;
      if (at === text.length) row.push("");
      continue;
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at++;
    at++;
    endRow();
  }
  if (row.length > 0) endRow();
  return rows;
}
