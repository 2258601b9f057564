/**
 * The process that opens mail of strangers. Mail may be made to break what reads it: parts in parts, headers without
 * end, HTML of a million elements. So this process holds no secret and no connection, reads one at a time, and is ended
 * when one takes too long. `mail-reader.ts` talks to it.
 */
import EmailReplyParser from "email-reply-parser";
import { convert } from "html-to-text";
import PostalMime from "postal-mime";

/** Code units that are read of a text. A message has half as many code points. */
const maxText = 20_000;
const maxHtml = 200_000;
const maxHeader = 4000;
/** Headers of one name that are read. */
const maxSame = 100;
const maxAttachments = 20;
const limits = { maxNestingDepth: 50, maxHeadersSize: 256 * 1024, maxRfc822NestingDepth: 3 };

/**
 * What the parser joins the lines of a part by. Node's own Blob keeps an object for each of them on this process's small
 * heap, which a few megabytes of short lines fill, and takes seconds for those that fit.
 */
globalThis.Blob = class {
  #bytes;

  constructor(parts) {
    this.#bytes = Buffer.concat(parts.map((part) => (ArrayBuffer.isView(part) ? part : Buffer.from(part))));
  }

  async arrayBuffer() {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    return buffer.slice(byteOffset, byteOffset + byteLength);
  }
};

/** How HTML becomes text that is Markdown as well. */
const conversion = {
  wordwrap: false,
  limits: { maxInputLength: maxHtml, maxDepth: 60, maxChildNodes: 5000, ellipsis: "…" },
  formatters: {
    link(elem, walk, builder) {
      const href = elem.attribs?.href ?? "";
      const isLink = /^https?:\/\/[^\s()<>]+$/i.test(href);
      if (isLink) builder.addLiteral("[");
      walk(elem.children, builder);
      if (isLink) builder.addLiteral(`](${href})`);
    },
  },
  selectors: [
    { selector: "a", format: "link" },
    ...["img", "style", "script", "title", ".gmail_quote_container", ".gmail_quote", ".yahoo_quoted"].map(
      (selector) => ({ selector, format: "skip" }),
    ),
    ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
};

/** Some programs put blank lines before the text, without end. What is cut off begins behind them. */
function beginningOf(text, length) {
  const start = Math.max(0, text.search(/[^\s\0]/));
  return text.slice(start, start + length);
}

/** What the sender wrote, what they quote, and what stands below every mail of theirs: pieces in order. */
function piecesOf(given) {
  // The parser takes the square of the time for runs of the same.
  const text = beginningOf(given, 2 * maxText)
    .replaceAll("\0", "")
    .replace(/\r\n?/g, "\n")
    .replace(/[^\S\n]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .slice(0, maxText);
  if (text.trim() === "") return [];
  return new EmailReplyParser()
    .read(text)
    .getFragments()
    .map((fragment) => ({
      kind: fragment.isQuoted() ? "quoted" : fragment.isSignature() ? "footer" : "own",
      text: fragment.getContent(),
    }));
}

/** @param {Uint8Array} raw */
async function read(raw) {
  const email = await PostalMime.parse(raw, limits);
  const all = (name) =>
    email.headers
      .filter(({ key }) => key === name)
      .slice(0, maxSame)
      .map(({ value }) => value.slice(0, maxHeader));
  const files = email.attachments.filter(({ content }) => typeof content !== "string" && content.byteLength > 0);
  return {
    from: { name: email.from?.name ?? "", address: email.from?.address ?? "", count: all("from").length },
    subject: (email.subject ?? "").slice(0, maxHeader),
    messageId: (email.messageId ?? "").slice(0, maxHeader),
    autoSubmitted: all("auto-submitted")[0] ?? "",
    precedence: all("precedence")[0] ?? "",
    isOfList: all("list-id").length > 0,
    hops: all("received").length,
    authentication: all("authentication-results"),
    plain: piecesOf(email.text ?? ""),
    html: email.html === undefined ? [] : piecesOf(convert(beginningOf(email.html, maxHtml), conversion)),
    attachments: files.slice(0, maxAttachments).map(({ filename, mimeType, content }) => ({
      name: (filename ?? "").slice(0, 300),
      type: mimeType.slice(0, 200),
      bytes: new Uint8Array(content),
    })),
    leftOut: Math.max(0, files.length - maxAttachments),
  };
}

process.on("message", async ({ task, raw }) => {
  const mail = await read(raw).catch(() => undefined);
  if (process.connected) process.send({ task, mail });
});
process.on("disconnect", () => process.exit());
