/**
 * The Model Context Protocol, over HTTP and without sessions: each message is answered by itself, or by a stream. There
 * are two ways to speak it. Until 2025-11-25 a client begins with `initialize`, and names the agreed revision in a
 * header. Since 2026-07-28 every request names its revision, in its body and in a header. Other headers repeat what it
 * asks for, and must agree with it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
import { ApiError } from "../../actors/errors.ts";
import { version } from "../../actors/version.ts";
import { refusalOf } from "../api/pipeline.ts";
import { retryHeaders } from "../api/reply.ts";
import { allows } from "../api/scopes.ts";
import { notice } from "./messages.ts";
import { readingTools } from "./reading-tools.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";
import { listen } from "./subscriptions.ts";
import type { Asked, Id, Json, Tool } from "./tool.ts";
import { writingTools } from "./writing-tools.ts";

/** Revisions whose clients begin with `initialize`, newest first. */
const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26"];
/** What a client speaks that names no revision. */
export const oldestVersion = "2025-03-26";
const modernVersion = "2026-07-28";
const supported = [modernVersion, ...legacyVersions];

/** The headers that are read. */
export const mcpHeaders = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const;
export type McpHeaders = ReadonlyMap<string, string>;

export const tools: readonly Tool[] = [...readingTools, ...writingTools];
const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

/** How long clients may keep a list, in milliseconds. */
const listTtlMs = 60_000;

const metaKey = (name: string) => `io.modelcontextprotocol/${name}`;
const serverInfo = { name: "parley", title: "Parley", version };
const capabilities = { tools: {}, resources: {} };
/** Revisions with `initialize` have subscriptions of sessions, of which there are none here. */
const modernCapabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };

const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFound: -32002,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A refusal of the protocol. Refusals of tools are results, which a model reads. */
class RpcError extends Error {
  constructor(
    readonly code: keyof typeof codes,
    message: string,
    readonly status = 200,
    readonly data?: Json,
  ) {
    super(message);
  }
}

/** What a message is answered with. A notification has no body. */
export interface Answered {
  status: number;
  body?: Json;
  /** It is answered by a stream, which has begun. */
  isStreamed?: true;
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is Id =>
  typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));

export function refusal(code: keyof typeof codes, message: string, status: number, id?: Id, data?: Json): Answered {
  const error = { code: codes[code], message, ...(data && { data }) };
  return { status, body: { jsonrpc: "2.0", id: id ?? null, error } };
}

/** Answers one message. @throws ClientGone */
export async function answerMessage(asked: Asked, headers: McpHeaders, message: unknown): Promise<Answered> {
  if (!isObject(message) || message["jsonrpc"] !== "2.0")
    return refusal("invalidRequest", 'A message is an object with jsonrpc: "2.0".', 400);
  const { id, method, params = {} } = message;
  // An answer to something that this server has not asked.
  if (method === undefined && ("result" in message || "error" in message)) return { status: 202 };
  if (typeof method !== "string") return refusal("invalidRequest", "method is a text.", 400);
  if (!("id" in message)) return { status: 202 };
  if (!isId(id)) return refusal("invalidRequest", "id is a text or a whole number.", 400);
  try {
    if (!isObject(params)) throw new RpcError("invalidParams", "params is an object.", 400);
    const isModern = agreeOn(headers, method, params);
    if (isModern && method === "subscriptions/listen") {
      if (!isObject(params["notifications"])) throw new RpcError("invalidParams", "notifications is an object.", 400);
      await listen(asked, id, params["notifications"]);
      return { status: 200, isStreamed: true };
    }
    const result = await (isModern ? modernResult : legacyResult)(asked, method, params);
    return { status: 200, body: { jsonrpc: "2.0", id, result } };
  } catch (error) {
    if (error instanceof RpcError) return refusal(error.code, error.message, error.status, id, error.data);
    const told = refusalOf(asked.app, asked.exchange, error);
    if (!told) throw error;
    asked.exchange.headers.push(...retryHeaders(told));
    return refusal("internal", told.message, told.status, id);
  }
}

/** Whether a request is of a revision without `initialize`. @throws RpcError where it does not say its revision well */
function agreeOn(headers: McpHeaders, method: string, params: Json): boolean {
  const told = headers.get("mcp-protocol-version");
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const declared = meta[metaKey("protocolVersion")];
  if (declared === undefined) {
    if (told === undefined || legacyVersions.includes(told)) return false;
    if (told !== modernVersion) throw unsupported(told);
    throw new RpcError("invalidParams", `_meta lacks ${metaKey("protocolVersion")}.`, 400);
  }
  if (told !== declared) throw mismatch("MCP-Protocol-Version");
  if (declared !== modernVersion) throw unsupported(told);
  if (headers.get("mcp-method") !== method) throw mismatch("Mcp-Method");
  const name = namedBy[method];
  if (name !== undefined && decodedName(headers.get("mcp-name")) !== params[name]) throw mismatch("Mcp-Name");
  if (!isObject(meta[metaKey("clientCapabilities")]))
    throw new RpcError("invalidParams", `_meta lacks ${metaKey("clientCapabilities")}.`, 400);
  return true;
}

const unsupported = (requested: string) =>
  new RpcError("unsupportedVersion", "Unsupported protocol version", 400, { supported, requested });

const mismatch = (header: string) =>
  new RpcError("headerMismatch", `The header ${header} is missing, or says something else than the body.`, 400);

/** The parameter that the header `Mcp-Name` repeats, by method. */
const namedBy: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  "tools/call": "name",
  "resources/read": "uri",
  "prompts/get": "name",
});

/** Values that no header may have are told in base64. */
function decodedName(value: string | undefined): string | undefined {
  const encoded = value === undefined ? undefined : /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}

async function modernResult(asked: Asked, method: string, params: Json): Promise<Json> {
  const known = method === "server/discover" ? discovery(asked) : await shared(asked, method, params);
  if (!known) throw new RpcError("methodNotFound", "Method not found", 404);
  const { result, ttlMs } = known;
  return {
    resultType: "complete",
    ...result,
    ...(ttlMs !== undefined && { ttlMs, cacheScope: "private" }),
    _meta: { [metaKey("serverInfo")]: serverInfo },
  };
}

async function legacyResult(asked: Asked, method: string, params: Json): Promise<Json> {
  if (method === "ping") return {};
  if (method === "initialize") {
    const wanted = params["protocolVersion"];
    const protocolVersion = legacyVersions.find((each) => each === wanted) ?? legacyVersions[0];
    return { protocolVersion, capabilities, serverInfo, instructions: instructionsFor(asked) };
  }
  try {
    const known = await shared(asked, method, params);
    if (known) return known.result;
  } catch (error) {
    if (error instanceof ResourceNotFound) throw new RpcError("resourceNotFound", error.message);
    throw error;
  }
  throw new RpcError("methodNotFound", "Method not found");
}

interface Known {
  result: Json;
  /** For how long a client may keep it, if it may. */
  ttlMs?: number;
}

class ResourceNotFound extends RpcError {
  constructor() {
    super("invalidParams", "There is no such resource, or the account may not read it.");
  }
}

/** What all revisions have. Undefined: there is no such method. */
async function shared(asked: Asked, method: string, params: Json): Promise<Known | undefined> {
  switch (method) {
    case "tools/list":
      checkCursor(params, /^$/);
      return { result: { tools: toolsFor(asked).map(definition) }, ttlMs: listTtlMs };
    case "tools/call":
      return { result: await callTool(asked, params) };
    case "resources/list":
      return { result: await listResources(asked, Number(checkCursor(params, /^\d{1,15}$/) ?? 0)), ttlMs: listTtlMs };
    case "resources/templates/list":
      checkCursor(params, /^$/);
      return { result: { resourceTemplates }, ttlMs: listTtlMs };
    case "resources/read":
      return { result: await resource(asked, params), ttlMs: 0 };
    default:
      return undefined;
  }
}

const discovery = (asked: Asked): Known => ({
  result: {
    supportedVersions: supported,
    capabilities: modernCapabilities,
    serverInfo,
    instructions: instructionsFor(asked),
  },
  ttlMs: listTtlMs,
});

function instructionsFor({ user, realm: { state } }: Asked): string {
  return `The chat of the organization at ${state.url}, with the rights of user ${user.id}. ${notice}`;
}

/** The tools that the caller's key may use. */
function toolsFor({ key }: Asked): Tool[] {
  return tools.filter(({ uses }) => allows(key?.scope ?? "all", uses));
}

function definition({ name, title, description, inputSchema, uses, isIdempotent }: Tool): Json {
  const readOnlyHint = uses.method === "GET";
  const annotations = {
    title,
    readOnlyHint,
    ...(!readOnlyHint && { destructiveHint: false, idempotentHint: isIdempotent }),
    openWorldHint: false,
  };
  return { name, title, description, inputSchema, annotations };
}

async function callTool(asked: Asked, { name, arguments: given = {} }: Json): Promise<Json> {
  const tool = typeof name === "string" ? toolsByName.get(name) : undefined;
  if (!tool) throw new RpcError("invalidParams", "There is no such tool.");
  if (!isObject(given)) throw new RpcError("invalidParams", "arguments is an object.");
  try {
    const value = await tool.run(asked, given);
    return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value, isError: false };
  } catch (error) {
    // What a model can do something about is a result. The rest is for its client.
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

async function resource(asked: Asked, { uri }: Json): Promise<Json> {
  if (typeof uri !== "string") throw new RpcError("invalidParams", "uri is a text.");
  try {
    const found = await readResource(asked, uri);
    if (found) return found;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
  }
  throw new ResourceNotFound();
}

/** @throws RpcError for a cursor that no list gave */
function checkCursor({ cursor }: Json, pattern: RegExp): string | undefined {
  if (cursor === undefined || cursor === null) return undefined;
  if (typeof cursor !== "string" || !pattern.test(cursor)) throw new RpcError("invalidParams", "Invalid cursor");
  return cursor;
}
