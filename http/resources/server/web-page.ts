/** The web page for chatting. */
import { ApiError } from "../../../actors/errors.ts";
import { pathText } from "../../api/params.ts";
import { RawReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import type { WebFile } from "../../pages/web-files.ts";
import type { Exchange } from "../../server/exchange.ts";
import type { Headers } from "../../server/header-block.ts";

/**
 * The content security policy. Scripts, styles and data come from this server only, pictures and films also from the
 * store of files that it leads to. Text becomes markup only through the trusted type of rendered messages.
 */
const policyOf = (store = "") =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data: blob:${store}`,
    `media-src 'self' blob:${store}`,
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types parley-rendered parley-worker",
  ].join("; ");

/** The build puts a hash of what is in a file into its name. Changed content has another name. */
const hashedName = /-[\w-]{8}\.\w+$/;
const keptForSecs = { hashed: 31_536_000, named: 3600 };

/** The page. It first asks whether somebody is logged in. */
export const getWebPage = route({
  doc: "README.md",
  summary: "The page on which people chat.",
  auth: ["anybody"],
  rateLimit: "none",
  params: {},
  handle({ app, exchange }) {
    const page = app.webFiles.get("index.html");
    if (!page) throw new ApiError(404, "BAD_REQUEST", "The page was not built: run npm run build.");
    const { addressOrigin: origin } = app.files;
    return reply(page, exchange, [
      ["Cache-Control", "no-cache"],
      ["Content-Security-Policy", policyOf(origin === undefined ? "" : ` ${origin}`)],
      ["Referrer-Policy", "same-origin"],
      ["Cross-Origin-Opener-Policy", "same-origin"],
    ]);
  },
});

/** The worker that shows notifications while no page is open. At the root, it covers every page. */
export const getServiceWorker = route({
  doc: "README.md",
  summary: "The worker that shows notifications while the page is closed.",
  auth: ["anybody"],
  rateLimit: "none",
  params: {},
  handle({ app, exchange }) {
    const file = app.webFiles.get("service-worker.js");
    if (!file) throw new ApiError(404, "BAD_REQUEST", "The page was not built: run npm run build.");
    return reply(file, exchange, [
      ["Cache-Control", "no-cache"],
      ["Content-Security-Policy", policyOf()],
    ]);
  },
});

/** A file of the page. */
export const getWebFile = route({
  doc: "README.md",
  summary: "A file of the page on which people chat.",
  auth: ["anybody"],
  rateLimit: "none",
  params: { file: pathText() },
  handle({ app, params, exchange }) {
    const file = app.webFiles.get(params.file);
    if (!file) throw new ApiError(404, "BAD_REQUEST", "There is no such file.");
    const kept = hashedName.test(params.file) ? `${keptForSecs.hashed}, immutable` : `${keptForSecs.named}`;
    return reply(file, exchange, [["Cache-Control", `public, max-age=${kept}`]]);
  },
});

function reply(file: WebFile, { acceptEncoding }: Exchange, headers: Headers): RawReply {
  const takes = (name: string): boolean =>
    new RegExp(`(?:^|[\\s,])${name}(?!\\s*;\\s*q=0(?:[,\\s]|$))`).test(acceptEncoding);
  const [encoding, body] =
    file.brotli && takes("br")
      ? ["br", file.brotli]
      : file.gzip && takes("gzip")
        ? ["gzip", file.gzip]
        : [undefined, file.plain];
  return new RawReply(
    200,
    [
      ["Content-Type", file.type],
      ["Vary", "Accept-Encoding"],
      ...(encoding === undefined ? [] : ([["Content-Encoding", encoding]] as const)),
      ...headers,
    ],
    body,
  );
}
