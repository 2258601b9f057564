/**
 * Bodies as no client sends them, on requests to the real routes. They are cut, doubled, mixed up, huge, slow, of
 * another length or type than they say, and with names that every object has. Each comes as the bytes that go over the
 * socket.
 */
import fc from "fast-check";
import type { Endpoint } from "../../../http/api/route.ts";
import { type FuzzRequest, fuzzRequests } from "./requests.ts";

/** A request and the numbers by which its body is spoilt. */
export interface HostileRequest {
  kind: string;
  request: FuzzRequest;
  first: number;
  second: number;
  noise: Uint8Array;
}

/** How it goes over the socket. */
export interface Wire {
  /** Each is one packet, as far as the kernel has it. */
  pieces: readonly Buffer[];
  /**
   * Whether it says where it ends, and keeps to that: then it is answered, and the connection is good for another one.
   */
  isWhole: boolean;
  /** What the client does behind it: it waits for an answer, half-closes, or resets the connection. */
  ending: "wait" | "end" | "reset";
}

interface Spoilt {
  type: string;
  body: Buffer;
  /** Header lines that say how long it is; the true length unless told. */
  length?: readonly string[];
  isWhole?: boolean;
  ending?: Wire["ending"];
  cut?: (whole: Buffer) => Buffer[];
}

type Kind = (draw: HostileRequest) => Spoilt;

const urlencodedType = "application/x-www-form-urlencoded";
const boundary = "----b";
const multipartType = `multipart/form-data; boundary=${boundary}`;

const pick = <T>(list: readonly T[], number: number): T => list[number % list.length]!;
const urlencoded = (fields: FuzzRequest["fields"]): string =>
  fields.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
const part = (head: string, value: string): string => `--${boundary}\r\n${head}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string): string => part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, fileName: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: image/png`, value);
const closed = (parts: string): string => `${parts}--${boundary}--\r\n`;

/** The request's own fields, as a form of either kind or as one JSON object. */
function encoded({ request, second }: HostileRequest): { type: string; body: Buffer } {
  const fields = request.fields;
  switch (second % 4) {
    case 0:
    case 1:
      return { type: urlencodedType, body: Buffer.from(urlencoded(fields)) };
    case 2: {
      const parts = fields.map(([name, value]) => field(name, value)).join("") + file("file", "a.png", "\x89PNG x");
      return { type: multipartType, body: Buffer.from(closed(parts)) };
    }
    default:
      return { type: "application/json", body: Buffer.from(JSON.stringify(Object.fromEntries(fields))) };
  }
}

/** Names that every object has, or that mean something to somebody. */
const objectNames = [
  "__proto__",
  "toString",
  "constructor",
  "hasOwnProperty",
  "valueOf",
  "prototype",
  "then",
  "toJSON",
];
const objectValues = [
  '{"__proto__":{"a":1}}',
  '{"toString":1}',
  '{"constructor":{"prototype":{"a":1}}}',
  '[{"__proto__":[]},{"toString":null}]',
  '{"new":{"__proto__":1}}',
  '{"direct_members":{"length":1e9},"direct_subgroups":[]}',
  '[["toString","x"]]',
  '[{"operator":"constructor","operand":"__proto__"}]',
  '[{"operator":"is","operand":{"toString":1}}]',
  '[{"type":"__proto__","to":[],"topic":"t","content":"c"}]',
  '{"length":-1}',
  '"toString"',
  "toString",
  "__proto__",
  '{"then":1,"toJSON":1,"valueOf":1}',
];
const fillers = [
  "x",
  "<",
  "%",
  "%0",
  "%00",
  "+",
  "&",
  "=",
  "[",
  '{"a":',
  "é",
  "😀",
  "\r\n--",
  `\r\n--${boundary}`,
  '"',
  "\\u0000",
  "1,",
];
const escapes = [
  "%",
  "%%",
  "%4",
  "%zz",
  "%00",
  "%ff",
  "%c0%80",
  "%ed%a0%80",
  "%f4%90%80%80",
  "%E2%82",
  "%u0041",
  "+%2B+",
  "&&&",
  "===",
  "=&=",
  "%26=%3D",
];
const lengths = [
  "-1",
  "0",
  "1",
  "99999999999999999999",
  "18446744073709551617",
  "4294967297",
  "0x10",
  "1e3",
  "+5",
  "5 5",
  "5,5",
  "",
  "abc",
  "007",
];
const types = [
  "", "text/plain", "application/json", "application/json; charset=utf-7", "multipart/form-data", "multipart/form-data; boundary=",
  'multipart/form-data; boundary="', "multipart/form-data; boundary=é", `multipart/form-data; boundary=${"b".repeat(3000)}`,
  "multipart/mixed; boundary=----b", "multipart/form-data; boundary=----b; boundary=c", "MULTIPART/FORM-DATA; BOUNDARY=----b",
  "multipart/form-data;;;boundary=----b", "multipart/form-data; boundary=--", `${urlencodedType}; charset=utf-16`, "x".repeat(3000), "/", "*/*",
]; // biome-ignore format: one per line would hide the list
const partHeads = [
  "", "Content-Disposition: form-data", 'Content-Disposition: form-data; name=""', 'Content-Disposition: form-data; name="__proto__"',
  'Content-Disposition: form-data; name="toString"; filename="toString"', 'Content-Disposition: attachment; filename="a"',
  'Content-Disposition: form-data; name="a', "Content-Disposition: form-data; name=a; name=b; filename*=utf-8''%ff%00",
  "Content-Disposition: form-data; name*=utf-8''%zz", 'Content-Disposition: form-data; name="\0"; filename="../../../etc/passwd\0.png"',
  'Content-Disposition: form-data; name="f"; filename=""', `Content-Disposition: form-data; name="${"n".repeat(20_000)}"`,
  `X-Long: ${"x".repeat(100_000)}\r\nContent-Disposition: form-data; name="a"`, `${"X-H: y\r\n".repeat(3000)}Content-Disposition: form-data; name="a"`,
  'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', 'Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=nothing',
  'Content-Disposition: form-data; name="f"; filename="f"\r\nContent-Type: multipart/mixed; boundary=c', 'Content-Disposition: form-data; name="content"\nX: y',
  "Content-Disposition: form-data; name=\"a\"\r\n folded: yes", ": no name", "No colon", "\u{1f600}: x", 'content-disposition:form-data;name="f";filename="a/b\\c"',
]; // biome-ignore format: one per line would hide the list

const inPieces =
  (size: (index: number) => number) =>
  (whole: Buffer): Buffer[] => {
    const pieces: Buffer[] = [];
    for (let at = 0, index = 0; at < whole.length; index++) {
      const length = Math.max(1, size(index));
      pieces.push(whole.subarray(at, at + length));
      at += length;
    }
    return pieces;
  };

/** Chunks of the sizes that `size` gives, each with the line that `line` makes of its length. */
function chunked(
  body: Buffer,
  size: (index: number) => number,
  line = (length: number) => length.toString(16),
): Buffer {
  const parts = inPieces(size)(body).flatMap((piece) => [
    Buffer.from(`${line(piece.length)}\r\n`),
    piece,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat(parts);
}
const chunkedLength = ["Transfer-Encoding: chunked"];
const endings: readonly Wire["ending"][] = [...Array<"end">(6).fill("end"), ...Array<"reset">(6).fill("reset"), "wait"];
const megabytes = (unit: string, count: number): string => unit.repeat(Math.ceil((count * 1_000_000) / unit.length));

const kinds: Readonly<Record<string, Kind>> = {
  "as it should be": encoded,
  "cut, and of that length": (draw) => {
    const { type, body } = encoded(draw);
    return { type, body: body.subarray(0, draw.first % (body.length + 1)) };
  },
  "cut, and longer by its head": (draw) => {
    const { type, body } = encoded(draw);
    const length = [`Content-Length: ${body.length + 1}`];
    const ending = pick(endings, draw.second >> 2);
    return { type, body: body.subarray(0, draw.first % (body.length + 1)), length, isWhole: false, ending };
  },
  "a form cut at any byte": (draw) => {
    const fields = draw.request.fields.map(([name, value]) => field(name, value)).join("");
    const body = Buffer.from(closed(fields + file("file", "a.png", Buffer.from(draw.noise).toString("latin1"))));
    return { type: multipartType, body: body.subarray(0, draw.first % (body.length + 1)) };
  },
  doubled: (draw) => {
    const { type, body } = encoded(draw);
    return { type, body: Buffer.concat([body, body]) };
  },
  "doubled, of single length": (draw) => {
    const { type, body } = encoded(draw);
    return { type, body: Buffer.concat([body, body]), length: [`Content-Length: ${body.length}`], isWhole: false };
  },
  "one in another": (draw) => {
    const fields = draw.request.fields;
    const inner = closed(fields.map(([name, value]) => field(name, value)).join(""));
    const outer = field("a", inner) + urlencoded(fields) + inner;
    return { type: pick([multipartType, urlencodedType, "application/json"], draw.first), body: Buffer.from(outer) };
  },
  megabytes: (draw) => {
    const value = megabytes(pick(fillers, draw.first), 0.5 + (draw.second % 10) / 2);
    const name = draw.request.fields[draw.first % Math.max(1, draw.request.fields.length)]?.[0] ?? "a";
    const isForm = draw.second % 3 === 0;
    const rest = draw.request.fields.filter(([other]) => other !== name);
    const text = isForm
      ? closed(rest.map(([other, small]) => field(other, small)).join("") + field(name, value))
      : `${urlencoded(rest)}&${name}=${value}`;
    return { type: isForm ? multipartType : urlencodedType, body: Buffer.from(text) };
  },
  "byte by byte": (draw) => ({ ...encoded(draw), cut: inPieces(() => 1) }),
  "in odd pieces": (draw) => {
    const sizes = [...draw.noise, 1];
    return { ...encoded(draw), cut: inPieces((index) => sizes[index % sizes.length]!) };
  },
  "of a wrong length": (draw) => {
    const { type, body } = encoded(draw);
    const length = [`Content-Length: ${pick(lengths, draw.first)}`];
    return { type, body, length, isWhole: false, ending: pick(endings, draw.second >> 2) };
  },
  "of two lengths": (draw) => {
    const { type, body } = encoded(draw);
    const pairs = [
      [`Content-Length: ${body.length}`, "Content-Length: 0"],
      ["Content-Length: 0", `Content-Length: ${body.length}`],
      [`Content-Length: ${body.length}`, ...chunkedLength],
      [...chunkedLength, `Content-Length: ${body.length}`],
      ["Transfer-Encoding: gzip, chunked"],
      ["Transfer-Encoding: identity"],
      ["Transfer-Encoding: Chunked "],
    ];
    return { type, body, length: pick(pairs, draw.first), isWhole: false, ending: pick(endings, draw.second >> 2) };
  },
  "in chunks": (draw) => {
    const { type, body } = encoded(draw);
    const sizes = [...draw.noise, 1];
    const line = pick<(length: number) => string>(
      [(n) => n.toString(16), (n) => n.toString(16).toUpperCase(), (n) => n.toString(16).padStart(4, "0")],
      draw.first,
    );
    const chunks = chunked(body, (index) => sizes[index % sizes.length]!, line);
    return { type, body: Buffer.concat([chunks, Buffer.from("0\r\n\r\n")]), length: chunkedLength };
  },
  "in spoilt chunks": (draw) => {
    const { type, body } = encoded(draw);
    const whole = chunked(body, () => 1 + (draw.second % 64));
    const spoilt = [
      whole,
      Buffer.concat([whole, Buffer.from("0\r\nX-Trailer: y\r\n\r\n")]),
      Buffer.concat([
        chunked(
          body,
          () => 7,
          (n) => `${n.toString(16)};name="value"`,
        ),
        Buffer.from("0\r\n\r\n"),
      ]),
      Buffer.from(`-1\r\n${body.toString("latin1")}\r\n0\r\n\r\n`, "latin1"),
      Buffer.from(`ffffffffffffffff\r\n${body.toString("latin1")}`, "latin1"),
      Buffer.from(`7fffffff\r\n${body.toString("latin1")}`, "latin1"),
      Buffer.from(`0x5\r\nabcde\r\n0\r\n\r\n`),
      Buffer.from(`\r\n\r\n\r\n`),
      Buffer.from(`5\nabcde\n0\n\n`),
      Buffer.from(`${"0".repeat(5000)}1\r\na\r\n0\r\n\r\n`),
      Buffer.from(`1;${"x".repeat(50_000)}\r\na\r\n0\r\n\r\n`),
      Buffer.from(`3\r\nabcdefgh\r\n0\r\n\r\n`),
      whole.subarray(0, draw.second % (whole.length + 1)),
    ];
    const ending = pick(endings, draw.second >> 2);
    return { type, body: pick(spoilt, draw.first), length: chunkedLength, isWhole: false, ending };
  },
  "a form of odd parts": (draw) => {
    const fields = draw.request.fields.map(([name, value]) => field(name, value)).join("");
    const odd = part(pick(partHeads, draw.first), "odd").repeat(1 + (draw.second % 3));
    const text = draw.first % 2 === 0 ? odd + fields : fields + odd;
    return { type: multipartType, body: Buffer.from(draw.second % 5 === 0 ? text : closed(text)) };
  },
  "a form of very many parts": (draw) => {
    const one = pick([field("a", "x"), file("f", "a.png", ""), "--b\r\n\r\n", part("", "")], draw.first);
    return { type: multipartType, body: Buffer.from(closed(one.repeat(1 + (draw.second % 3000)))) };
  },
  "odd escapes": (draw) => {
    const odd = pick(escapes, draw.first);
    const own = urlencoded(draw.request.fields);
    const at = draw.second % (own.length + 1);
    const text = pick(
      [own.slice(0, at) + odd + own.slice(at), `${odd}=${odd}&${own}`, `${own}&content=${odd}`],
      draw.second,
    );
    return { type: urlencodedType, body: Buffer.from(text) };
  },
  "a type of its own": (draw) => ({ ...encoded(draw), type: pick(types, draw.first) }),
  noise: (draw) => ({
    type: pick([urlencodedType, multipartType, "application/json"], draw.first),
    body: Buffer.from(draw.noise),
  }),
  "values with names of every object": (draw) => {
    const spoilt = draw.request.fields.map(([name, value], index): [string, string] => [
      name,
      (draw.second >> (index % 16)) % 2 === 0 ? pick(objectValues, draw.first + index) : value,
    ]);
    return { type: urlencodedType, body: Buffer.from(urlencoded(spoilt)) };
  },
  "fields with names of every object": (draw) => {
    const more = objectNames.map((name): [string, string] => [name, pick(objectValues, draw.first)]);
    const fields = [...draw.request.fields, ...more];
    return draw.second % 2 === 0
      ? { type: urlencodedType, body: Buffer.from(urlencoded(fields)) }
      : { type: multipartType, body: Buffer.from(closed(fields.map(([name, value]) => field(name, value)).join(""))) };
  },
};

/** Megabytes take the time of a hundred other requests. */
const rare: Readonly<Record<string, number>> = { megabytes: 2, "byte by byte": 4 };
const usual = 10;

/** Requests to these routes with bodies of every kind. */
export function hostileRequests(routes: readonly Endpoint[]): fc.Arbitrary<HostileRequest> {
  const kind = fc.oneof(
    ...Object.keys(kinds).map((name) => ({ weight: rare[name] ?? usual, arbitrary: fc.constant(name) })),
  );
  return fc.record({
    kind,
    request: fuzzRequests(routes),
    // Any byte is as good as another: small numbers are not tried more often.
    first: fc.noBias(fc.nat()),
    second: fc.noBias(fc.nat()),
    noise: fc.uint8Array({ maxLength: 200 }),
  });
}

/** The older native build closes a connection whose head is longer and comes in several packets. */
const mostHeadBytesInPieces = 4000;

/** The bytes of it. The fields go into the body here, also those of a method that has none. */
export function wire(hostile: HostileRequest, authorization: string): Wire {
  const { method, path, query } = hostile.request;
  const made = kinds[hostile.kind]!(hostile);
  const head = [
    `${method} ${path}${query !== "" && hostile.second % 2 === 0 ? `?${query}` : ""} HTTP/1.1`,
    "Host: localhost",
    ...(authorization === "" ? [] : [`Authorization: ${authorization}`]),
    ...(made.type === "" ? [] : [`Content-Type: ${made.type}`]),
    ...(made.length ?? [`Content-Length: ${made.body.length}`]),
  ];
  const start = Buffer.from(`${head.join("\r\n")}\r\n\r\n`);
  const whole = Buffer.concat([start, made.body]);
  const pieces =
    made.cut === undefined
      ? [whole]
      : start.length > mostHeadBytesInPieces
        ? [start, ...made.cut(made.body)]
        : made.cut(whole);
  return {
    pieces,
    isWhole: made.isWhole ?? true,
    ending: made.ending ?? "wait",
  };
}
