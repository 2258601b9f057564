import { expect, it } from "vitest";
import { readCsv } from "../../../http/process/csv.ts";

it.each([
  ["email,name\na@b,A\n", [{ email: "a@b", name: "A" }]],
  ["\ufeffEmail ; Name\r\na@b;A\r\n\r\n", [{ email: "a@b", name: "A" }]],
  ['name,email\n"Smith, ""J""\nJr",a@b', [{ name: 'Smith, "J"\nJr', email: "a@b" }]],
  [
    "email,name,role\ra@b,A,\rc@d",
    [
      { email: "a@b", name: "A", role: "" },
      { email: "c@d", name: "", role: "" },
    ],
  ],
])("reads %j", (text, rows) => {
  expect(readCsv(text).map(({ row }) => row)).toEqual(rows);
});

it("knows in which line of the file each row begins", () => {
  const text = 'email,name\r\na@b,"A\nB"\r\n\r\nc@d,C\n';
  expect(readCsv(text).map(({ line }) => line)).toEqual([2, 5]);
});

it("refuses what is no table", () => {
  expect(() => readCsv("")).toThrow("empty");
  expect(() => readCsv('email\n"a')).toThrow("A quote in row 2 does not end.");
});
