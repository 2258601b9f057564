/**
 * The process that reads other sites: pages for previews of links, and pictures, films and sound that messages show.
 * Whoever writes a message chooses the address, so it reaches only the public Internet and what else it was allowed. A
 * name is resolved once, every address that it has must be allowed, and the connection goes to one of these. A redirect
 * is looked at like a first address. It has no environment, and says nothing of this server but its name.
 * `site-reader.ts` talks to it.
 */
import { lookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import { Parser } from "htmlparser2";
import { isOpenAddress, parseAddressList } from "../../actors/outbound/allowed-addresses.mjs";

/** Of a page only its head is of use; a picture is refused when it is larger. */
const maxPageBytes = 512 * 1024;
const maxImageBytes = 5 * 1024 * 1024;
/** A picture, film or sound that a message links to. Longer ones are seen at their own site. */
const maxMediaBytes = 16 * 1024 * 1024;
const maxRedirects = 3;
/** For a page with its picture, whatever they do. */
const patienceMs = 15_000;
const maxTitle = 200;
const maxDescription = 400;

/** @typedef {{ id: number, kind: "page" | "media", url: string, userAgent: string,
 *   traceparent?: string, alsoAllowed: string }} Task */

/** @param {Task} task */
async function preview({ url, userAgent, traceparent, alsoAllowed }) {
  const signal = AbortSignal.timeout(patienceMs);
  const isListed = parseAddressList(alsoAllowed);
  const get = (address, accept, maxBytes) =>
    fetchChecked(address, { accept, maxBytes, isListed, userAgent, traceparent, signal });
  const page = await get(url, "text/html", maxPageBytes);
  if (!/^text\/html\b|^application\/xhtml\+xml\b/i.test(page.type)) return undefined;
  const found = readHead(decode(page));
  if (found.image === undefined || (found.title === "" && found.description === "")) return undefined;
  const image = await get(new URL(found.image, page.url).href, "image/*", maxImageBytes);
  if (!/^image\//i.test(image.type) || image.isCut) return undefined;
  return { title: found.title, description: found.description, image: image.bytes };
}

/** @param {Task} task */
async function media({ url, userAgent, traceparent, alsoAllowed }) {
  const signal = AbortSignal.timeout(patienceMs);
  const isListed = parseAddressList(alsoAllowed);
  const accept = "image/*, video/*, audio/*";
  const { type, bytes, isCut } = await fetchChecked(url, {
    accept,
    maxBytes: maxMediaBytes,
    isListed,
    userAgent,
    traceparent,
    signal,
  });
  return isCut ? undefined : { type, bytes };
}

/** The answer to a GET, after redirects. @throws Error for what may not be asked, or is no success */
async function fetchChecked(address, options) {
  let url = new URL(address);
  for (let hops = 0; ; hops++) {
    const answer = await fetchOnce(url, options);
    if (answer.location === undefined) return { ...answer, url };
    if (hops === maxRedirects) throw new Error("too many redirects");
    url = new URL(answer.location, url);
  }
}

async function fetchOnce(url, { accept, maxBytes, isListed, userAgent, traceparent, signal }) {
  if ((url.protocol !== "http:" && url.protocol !== "https:") || url.username !== "" || url.password !== "")
    throw new Error("not an address of the web");
  const target = await allowedAddress(url, isListed);
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      agent: false,
      signal,
      headers: {
        accept,
        "accept-encoding": "identity",
        "user-agent": userAgent,
        ...(traceparent !== undefined && { traceparent }),
      },
      maxHeaderSize: 16_384,
      // The address that was checked, whatever the name leads to by now.
      lookup: (_name, { all }, done) => (all ? done(null, [target]) : done(null, target.address, target.family)),
    });
    request.on("error", reject);
    request.on("response", (response) => {
      const { statusCode = 0, headers } = response;
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        request.destroy();
        resolve({ location: headers.location });
        return;
      }
      if (statusCode !== 200 || (headers["content-encoding"] ?? "identity") !== "identity") {
        request.destroy();
        reject(new Error(`status ${statusCode}`));
        return;
      }
      const chunks = [];
      let size = 0;
      const finish = (isCut) => {
        request.destroy();
        resolve({ type: headers["content-type"] ?? "", bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut });
      };
      response.on("data", (chunk) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) finish(true);
      });
      response.on("end", () => finish(false));
      response.on("error", reject);
    });
    request.end();
  });
}

/** Where to connect to. @throws Error when any address of the name is not allowed */
async function allowedAddress(url, isListed) {
  const name = url.hostname.replace(/^\[|\]$/g, "");
  const found = await lookup(name, { all: true, verbatim: true });
  const isPublicPort = url.port === "";
  for (const { address } of found)
    if (!isListed(address) && !(isPublicPort && isOpenAddress(address))) throw new Error("not an allowed address");
  if (found.length === 0) throw new Error("no address");
  return found[0];
}

function decode({ bytes, type }) {
  const charset = /charset="?([\w-]{1,40})/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** What a page says of itself. https://ogp.me */
function readHead(html) {
  const said = new Map();
  let title = "";
  let isInTitle = false;
  const parser = new Parser({
    onopentag(tag, { property, name, content }) {
      if (tag === "title") isInTitle = title === "";
      const key = (property ?? name ?? "").toLowerCase();
      if (tag === "meta" && content && key && !said.has(key) && said.size < 200) said.set(key, content);
    },
    ontext(text) {
      if (isInTitle && title.length < 2000) title += text;
    },
    onclosetag(tag) {
      if (tag === "title") isInTitle = false;
    },
  });
  parser.write(html);
  parser.end();
  const first = (...keys) => keys.map((key) => said.get(key)).find((value) => value !== undefined);
  return {
    title: clean(first("og:title", "twitter:title") ?? title, maxTitle),
    description: clean(first("og:description", "twitter:description", "description") ?? "", maxDescription),
    image: first("og:image", "og:image:url", "og:image:secure_url", "twitter:image"),
  };
}

/** One line of so many code points. */
const clean = (text, max) =>
  [
    ...text
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, 2 * max),
  ]
    .slice(0, max)
    .join("");

process.on("message", async (/** @type {Task} */ task) => {
  const found = await (task.kind === "page" ? preview(task) : media(task)).catch(() => undefined);
  if (process.connected) process.send({ id: task.id, found });
});
process.on("disconnect", () => process.exit());
