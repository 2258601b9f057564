/**
 * The head of a request: its line and its headers, by RFC 9112 and 9110. Where servers and proxies read a head in
 * different ways, one client's bytes may be answered to another (request smuggling). So a head is refused for line ends
 * without CR, folded lines, a space before a colon, or control characters. So it is for several hosts, or an unclear
 * end of the body.
 */
import type { HttpRequest } from "./uws-interface.ts";

/** Why a request is answered without anybody having seen it. The connection ends with that answer. */
export class Refusal {
  constructor(
    readonly status: number,
    readonly msg: string,
  ) {}
}

const malformed = (what: string): Refusal => new Refusal(400, `The request is malformed: ${what}`);
const refusals = {
  line: malformed("its first line is none of HTTP."),
  target: malformed("its address is neither a path nor a URL."),
  fields: malformed("one of its headers has no name, no colon, a space before it, or a control character."),
  host: malformed("it needs one Host header."),
  bodyEnd: malformed("it does not say, or not only once, where its body ends."),
  version: new Refusal(505, "This server speaks HTTP/1.1 and HTTP/1.0."),
  expectation: new Refusal(417, "The only Expect that this server knows is 100-continue."),
  connect: new Refusal(501, "This server is no proxy."),
};

/** The method in lower case, where it is one of the usual ones. Others are looked at. */
const usualMethods = new Map(
  ["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD", "OPTIONS"].map((method) => [method, method.toLowerCase()]),
);
// Source: RFC 9110, 5.6.2, 5.5; RFC 9112, 3. Bytes above ASCII are let through in addresses, as browsers of old send.
const token = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const targetAt = /[!-~\x80-\xff]+/y;
const fieldsAt = /(?:\r\n[!#$%&'*+.^_`|~\dA-Za-z-]+:[\t -~\x80-\xff]*)*\r\n\r\n/y;
const absoluteTarget = /^https?:\/\/([^/?#@]+)(?:\/|(?=\?)|$)/i;
const lineRest = " HTTP/1.1".length;

/** What follows a head. */
export type Body = "chunked" | number;

/** A request as its handlers see it, for as long as they run. */
export class RequestHead implements HttpRequest {
  #parameters: readonly string[] = [];
  isYielding = false;

  constructor(
    private readonly method: string,
    private readonly path: string,
    private readonly query: string,
    private readonly fields: Fields,
    /** From an address that is a whole URL: it counts instead of the Host header. */
    private readonly authority: string | undefined,
    readonly body: Body,
    /** Whether the client speaks HTTP/1.0, which knows no chunks. */
    readonly isOld: boolean,
    /** Whether the connection ends with the answer. */
    readonly isLast: boolean,
    /** Whether the client waits to be told before it sends the body. */
    readonly expects: boolean,
  ) {}

  /** Begins the visit of one route. */
  enter(parameters: readonly string[]): void {
    this.#parameters = parameters;
    this.isYielding = false;
  }

  getHeader(lowerCaseKey: string): string {
    if (this.authority !== undefined && lowerCaseKey === "host") return this.authority;
    return this.fields.get(lowerCaseKey);
  }
  getParameter(index: number): string | undefined {
    return this.#parameters[index];
  }
  getUrl(): string {
    return this.path;
  }
  getMethod(): string {
    return this.method;
  }
  getQuery(): string {
    return this.query;
  }
  forEach(visit: (key: string, value: string) => void): void {
    this.fields.forEach((key, value) => {
      visit(key, key === "host" && this.authority !== undefined ? this.authority : value);
    });
  }
  setYield(isYielding: boolean): this {
    this.isYielding = isYielding;
    return this;
  }
}

/** The headers of a request, which are looked for when they are asked for: few are. */
class Fields {
  readonly #lower: string;

  /** @param text what `fieldsAt` matches */
  constructor(private readonly text: string) {
    this.#lower = text.toLowerCase();
  }

  /** Where the header's value begins, -1 without the header. A line break stands before nothing but a name. */
  find(name: string, from = 0): number {
    const at = this.#lower.indexOf(`\r\n${name}:`, from);
    return at < 0 ? -1 : at + name.length + 3;
  }

  get(name: string): string {
    const at = this.find(name);
    return at < 0 ? "" : this.valueAt(at);
  }

  valueAt(from: number): string {
    const { text } = this;
    let end = text.indexOf("\r\n", from);
    while (from < end && isBlank(text.charCodeAt(from))) from++;
    while (from < end && isBlank(text.charCodeAt(end - 1))) end--;
    return text.slice(from, end);
  }

  /** Whether a header that is a list has this element. */
  lists(name: string, element: string): boolean {
    for (let at = this.find(name); at >= 0; at = this.find(name, at)) {
      const elements = this.valueAt(at).toLowerCase().split(",");
      if (elements.some((each) => each.trim() === element)) return true;
    }
    return false;
  }

  forEach(visit: (key: string, value: string) => void): void {
    for (let at = 2; at < this.text.length - 2; at = this.text.indexOf("\r\n", at) + 2) {
      const colon = this.#lower.indexOf(":", at);
      visit(this.#lower.slice(at, colon), this.valueAt(colon + 1));
    }
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** Reads a head. @param text its bytes as latin1, up to and with the empty line */
export function readHead(text: string): RequestHead | Refusal {
  const lineEnd = text.indexOf("\r\n");
  const methodEnd = text.indexOf(" ");
  const targetEnd = lineEnd - lineRest;
  if (methodEnd <= 0 || targetEnd <= methodEnd + 1 || !text.startsWith(" HTTP/", targetEnd)) return refusals.line;
  const method = text.slice(0, methodEnd);
  if (!usualMethods.has(method) && !token.test(method)) return refusals.line;
  targetAt.lastIndex = methodEnd + 1;
  if (!targetAt.test(text) || targetAt.lastIndex !== targetEnd) return refusals.line;
  const version = text.slice(lineEnd - 3, lineEnd);
  if (!/^\d\.\d$/.test(version)) return refusals.line;
  if (!version.startsWith("1.")) return refusals.version;
  if (method === "CONNECT") return refusals.connect;
  fieldsAt.lastIndex = lineEnd;
  if (!fieldsAt.test(text)) return refusals.fields;
  const fields = new Fields(text.slice(lineEnd));

  const isOld = version === "1.0";
  const host = fields.find("host");
  if (host < 0 ? !isOld : fields.find("host", host) >= 0) return refusals.host;
  const body = bodyOf(fields, isOld);
  if (body === undefined) return refusals.bodyEnd;
  const hasExpectation = !isOld && fields.find("expect") >= 0;
  if (hasExpectation && fields.get("expect").toLowerCase() !== "100-continue") return refusals.expectation;
  const isLast =
    fields.find("connection") < 0
      ? isOld
      : fields.lists("connection", "close") || (isOld && !fields.lists("connection", "keep-alive"));

  let target = text.slice(methodEnd + 1, targetEnd);
  let authority: string | undefined;
  if (!target.startsWith("/")) {
    const whole = absoluteTarget.exec(target);
    if (whole) {
      authority = whole[1]!;
      target = `/${target.slice(whole[0].length)}`;
    } else if (target !== "*" || method !== "OPTIONS") return refusals.target;
  }
  const queryAt = target.indexOf("?");
  return new RequestHead(
    usualMethods.get(method) ?? method.toLowerCase(),
    queryAt < 0 ? target : target.slice(0, queryAt),
    queryAt < 0 ? "" : target.slice(queryAt + 1),
    fields,
    authority,
    body,
    isOld,
    isLast,
    hasExpectation && body !== 0,
  );
}

/** What follows the head; undefined where that is unclear. Source: RFC 9112, 6. */
function bodyOf(fields: Fields, isOld: boolean): Body | undefined {
  const length = fields.find("content-length");
  const encoding = fields.find("transfer-encoding");
  if (encoding >= 0) {
    const isClear = !isOld && length < 0 && fields.find("transfer-encoding", encoding) < 0;
    return isClear && fields.valueAt(encoding).toLowerCase() === "chunked" ? "chunked" : undefined;
  }
  if (length < 0) return 0;
  const digits = fields.valueAt(length);
  return fields.find("content-length", length) < 0 && /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}
