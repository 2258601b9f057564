/** Stems are PostgreSQL's: what its search finds by a stem is highlighted by the same one. */
import { readFileSync } from "node:fs";
import postgres from "postgres";
import { expect, inject, it } from "vitest";
import { stemEnglish } from "../../../actors/text/english-stem.ts";

const endings = [
  "",
  "s",
  "es",
  "ed",
  "ing",
  "er",
  "ly",
  "edly",
  "ingly",
  "ness",
  "ization",
  "ational",
  "fully",
  "ability",
  "ements",
  "ies",
];
const roots = [
  "run",
  "hope",
  "happi",
  "gener",
  "commun",
  "arsen",
  "relat",
  "form",
  "organ",
  "cry",
  "say",
  "agre",
  "luxuri",
  "univers",
  "paste",
  "ski",
  "even",
  "inter",
  "log",
  "bio",
  "past",
  "prefer",
  "control",
  "ignor",
  "sens",
  "add",
  "egg",
  "ebb",
  "off",
  "err",
  "odd",
  "app",
  "ann",
  "inn",
  "ubb",
  "ott",
];

it("agrees with the english dictionary of PostgreSQL's search", async () => {
  const prose = readFileSync(new URL("../../../ARCHITECTURE.md", import.meta.url), "utf8").toLowerCase();
  const words = new Set([
    ...(prose.match(/[a-z]+/g) ?? []),
    ...roots.flatMap((root) => endings.map((end) => root + end)),
  ]);
  const sql = postgres(inject("databaseUrl"));
  const rows = await sql<{ word: string; stem: string | null }[]>`
    select word, (ts_lexize('english_stem', word))[1] as stem from unnest(${[...words]}::text[]) as word`;
  await sql.end();
  const differ = rows.filter(({ word, stem }) => stem && stemEnglish(word) !== stem);
  expect(differ.map(({ word, stem }) => `${word}: ${stem}, not ${stemEnglish(word)}`)).toEqual([]);
});
