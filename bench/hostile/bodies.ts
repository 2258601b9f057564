/** Values and bodies that make careless decoders slow, for the tests of the answer and the bench of its cost. */

const megabyte = (unit: string): string => unit.repeat(1_000_000 / unit.length);

/** Texts of one parameter; those for which JSON is expected are JSON of the wrong kind, too much of it, or no JSON. */
export const hostileValues: Readonly<Record<string, string>> = {
  "a megabyte of open lists": megabyte("["),
  "lists in lists": `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
  "objects in objects": `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  "a pair with lists in lists": `[["dm",${"[".repeat(200_000)}${"]".repeat(200_000)}]]`,
  "very many numbers": `[${megabyte("1,")}1]`,
  "very many texts": `[${megabyte('"a",')}"a"]`,
  "very many members": `{"direct_members":[${megabyte("1,")}1],"direct_subgroups":[]}`,
  "very many lists": `[${megabyte("[1],")}[1]]`,
  "very many keys": `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join()}}`,
  "as many texts as are accepted": `[${'"a",'.repeat(19_000)}1]`,
  "as many objects as are accepted": `[${"{},".repeat(19_000)}{}]`,
  "as many keys as are accepted": `{${Array.from({ length: 19_000 }, (_, n) => `"k${n}":1`).join()}}`,
  "a megabyte of letters": megabyte("x"),
  "a megabyte in quotes": `"${megabyte("x")}"`,
  "a megabyte of spaces": megabyte(" "),
  "a megabyte of digits": megabyte("9"),
  "a megabyte of escaped surrogates": `"${megabyte("\\ud800")}"`,
  "a number that is infinite": "1e400",
  "a key that every object has": '{"__proto__":{"a":true},"constructor":true}',
  nothing: "",
};

/** Fields of a form, or a whole one. */
export const hostileForms: Readonly<Record<string, Readonly<Record<string, string>> | string>> = {
  "of one field": { full_name: "x".repeat(1_000_000) },
  "that is percent-encoded throughout": { full_name: "<".repeat(1_000_000) },
  "of very many fields": Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [`field${n}`, String(n)])),
  "of nothing but separators": "&".repeat(1_000_000),
  "of lists in lists": { profile_data: "[".repeat(1_000_000) },
  "of one list": { profile_data: `[${"{},".repeat(300_000)}{}]` },
};

export const multipartType = "multipart/form-data; boundary=b";

/** One field of a multipart body. */
export const multipartField = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;

/** One file of a multipart body. */
export const multipartFile = (name: string, value: string): string =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.txt"\r\n\r\n${value}\r\n`;

/** Bytes of a whole multipart body of nothing but these parts. */
const multipartBytes = 2_000_000;
const filled = (part: string): string => `${part.repeat(multipartBytes / part.length)}--b--\r\n`;

export const hostileMultipart: Readonly<Record<string, string>> = {
  fields: filled(multipartField("a", "x")),
  files: filled(multipartFile("a", "x")),
  "parts without a head": filled("--b\r\n\r\n\r\n"),
  "beginnings of boundaries": filled("\r\n--"),
  boundaries: filled("\r\n--b"),
  heads: filled(`--b\r\n${"X-H: y\r\n".repeat(50)}\r\nx\r\n`),
};
