/**
 * The example of an endpoint with curl, Python and JavaScript. They take for granted what the head of the page sets up:
 * `$EMAIL` and `$KEY` in a shell, and a `client` of the `zulip` package or of `zulip-js`.
 */
import { exampleOf } from "../api/examples.ts";
import type { Endpoint } from "../api/route.ts";

/** Characters up to which something stays on one line. */
const lineLength = 100;

interface Example {
  readonly endpoint: Endpoint;
  /** Below the address of the API, filled in: `/messages/4242`. */
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The whole address. */
  readonly address: string;
  /** Who asks: an account by its key, a browser by its log-in, or anybody. */
  readonly by: "key" | "login" | "nobody";
}

export interface WrittenExample {
  curl: string;
  python: string;
  javascript: string;
}

/** @param url address of the organization, without a trailing slash */
export function writtenExample(endpoint: Endpoint, url: string): WrittenExample {
  const { auth } = endpoint;
  // What is no JSON of the API, or leads elsewhere, is asked for without its clients.
  const isPlain = endpoint.returns === undefined;
  const by = auth.includes("apiKey") && !isPlain ? "key" : auth.includes("cookie") ? "login" : "nobody";
  const request = exampleOf(endpoint);
  const address = `${url}${by === "login" ? "/json" : "/api/v1"}${request.path}`;
  const example: Example = { endpoint, by, address, ...request };
  return { curl: curl(example), python: python(example), javascript: javascript(example) };
}

const sent = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
/** As one word of a command line, whatever is in it. */
const shellWord = (text: string): string => (/^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const hasFile = ({ endpoint }: Example): boolean => endpoint.file?.isRequired === true;

function curl(example: Example): string {
  const { endpoint, fields, by, address } = example;
  const { method } = endpoint;
  const names = Object.keys(fields);
  const isPlainPost = method === "POST" && (names.length > 0 || hasFile(example));
  const words = [
    endpoint.returns === undefined ? "curl -sSL" : "curl -sS",
    method === "GET" ? (names.length > 0 ? "-G" : "") : isPlainPost ? "" : `-X ${method}`,
    by === "key" ? '-u "$EMAIL:$KEY"' : "",
    by === "login" ? "-b cookies.txt" : "",
    by === "login" && method !== "GET" ? '-H "X-CSRFToken: $CSRF"' : "",
    shellWord(address),
  ];
  const option = hasFile(example) ? "--form-string" : "--data-urlencode";
  const parts = names.map((name) => `${option} ${shellWord(`${name}=${sent(fields[name])}`)}`);
  if (hasFile(example)) parts.push("-F file=@picture.png");
  return [words.filter((word) => word !== "").join(" "), ...parts].join(" \\\n  ");
}

/** Calls of the `zulip` package that take the request as a dictionary, or take nothing. */
const pythonCalls: Readonly<Record<string, string>> = {
  "POST /messages": "send_message",
  "GET /messages": "get_messages",
  "POST /messages/render": "render_message",
  "POST /messages/flags": "update_message_flags",
  "POST /typing": "set_typing_status",
  "GET /users/me": "get_profile",
  "GET /users": "get_members",
  "POST /users": "create_user",
  "GET /users/me/subscriptions": "get_subscriptions",
  "POST /user_groups/create": "create_user_group",
  "POST /users/me/presence": "update_presence",
  "PUT /bot_storage": "update_storage",
  "GET /bot_storage": "get_storage",
  "GET /server_settings": "get_server_settings",
  "GET /realm/emoji": "get_realm_emoji",
  "GET /attachments": "get_attachments",
};
/** Calls that take the fields of the request by their names. */
const pythonNamedCalls: Readonly<Record<string, string>> = {
  "POST /register": "register",
  "GET /events": "get_events",
  "DELETE /events": "deregister",
  "GET /streams": "get_streams",
};

function python(example: Example): string {
  const { endpoint, path, fields, by, address } = example;
  const { method } = endpoint;
  const entries = Object.entries(fields);
  if (by !== "key") {
    const headers = by === "login" && method !== "GET" ? ['headers={"X-CSRFToken": session.cookies["csrftoken"]}'] : [];
    const texts = entries.map(([name, value]) => [name, sent(value)] as const);
    const data =
      texts.length === 0 ? [] : [`${method === "GET" ? "params" : "data"}=${pythonLiteral(Object.fromEntries(texts))}`];
    const asker = by === "login" ? "session" : "requests";
    const request = call(`${asker}.${method.toLowerCase()}`, [JSON.stringify(address), ...data, ...headers]);
    return `result = ${request}${endpoint.returns ? ".json()" : ""}`;
  }
  const place = `${method} ${endpoint.path}`;
  if (hasFile(example)) {
    const upload =
      place === "POST /user_uploads"
        ? "client.upload_file(file)"
        : call("client.call_endpoint", [`url=${JSON.stringify(path.slice(1))}`, "files=[file]"]);
    return `with open("picture.png", "rb") as file:\n    result = ${upload}`;
  }
  const dictionary = entries.length > 0 ? [pythonLiteral(fields)] : [];
  if (Object.hasOwn(pythonCalls, place)) return `result = ${call(`client.${pythonCalls[place]}`, dictionary)}`;
  if (Object.hasOwn(pythonNamedCalls, place)) {
    const named = entries.map(([name, value]) => `${name}=${pythonLiteral(value)}`);
    return `result = ${call(`client.${pythonNamedCalls[place]}`, named)}`;
  }
  const request = dictionary.map((literal) => `request=${literal}`);
  return `result = ${call("client.call_endpoint", [`url=${JSON.stringify(path.slice(1))}`, `method="${method}"`, ...request])}`;
}

function javascript(example: Example): string {
  const { endpoint, path, fields, by, address } = example;
  const { method } = endpoint;
  const texts = Object.entries(fields).map(([name, value]) => [name, sent(value)] as const);
  const form = `new URLSearchParams(${javascriptLiteral(Object.fromEntries(texts))})`;
  if (hasFile(example)) {
    const options = '{ file: createReadStream("picture.png") }';
    return `import { createReadStream } from "node:fs";\n\nconst answer = await client.callEndpoint(${JSON.stringify(path)}, "POST", ${options});`;
  }
  if (by !== "key") {
    const place = JSON.stringify(by === "login" ? new URL(address).pathname : address);
    const query = method === "GET" && texts.length > 0 ? `${place} + "?" + ${form}` : place;
    const options = [
      ...(method === "GET" ? [] : [`method: "${method}"`]),
      ...(by === "login" && method !== "GET" ? ['headers: { "X-CSRFToken": csrf }'] : []),
      ...(method !== "GET" && texts.length > 0 ? [`body: ${form}`] : []),
    ];
    const request = [query, ...(options.length > 0 ? [`{ ${options.join(", ")} }`] : [])];
    if (!endpoint.returns) return `const answer = await ${call("fetch", request)};`;
    return `const answer = await (await ${call("fetch", request)}).json();`;
  }
  // zulip-js sends texts and numbers as they are. Whatever else there is has to be JSON.
  const values = Object.entries(fields).map(([name, value]) => {
    const literal = javascriptLiteral(value);
    if (typeof value === "boolean") return `${name}: "${literal}"`;
    return `${name}: ${typeof value === "object" ? `JSON.stringify(${literal})` : literal}`;
  });
  const options = values.length > 0 ? [block("{ ", values, " }")] : [];
  const verb = method === "GET" && values.length === 0 ? [] : [`"${method}"`];
  return `const answer = await ${call("client.callEndpoint", [JSON.stringify(path), ...verb, ...options])};`;
}

/** A list in brackets: on one line, or one entry a line. */
function block(open: string, entries: readonly string[], close: string): string {
  const line = `${open}${entries.join(", ")}${close}`;
  if (line.length <= lineLength && !line.includes("\n")) return line;
  return `${open.trim()}\n${entries.map((entry) => `  ${entry.replaceAll("\n", "\n  ")},`).join("\n")}\n${close.trim()}`;
}

/** A call. Its last argument may take several lines. */
function call(name: string, args: readonly string[]): string {
  const line = `${name}(${args.join(", ")})`;
  if (line.split("\n").every((each) => each.length <= lineLength + 20)) return line;
  return `${name}(\n${args.map((arg) => `  ${arg.replaceAll("\n", "\n  ")},`).join("\n")}\n)`;
}

function pythonLiteral(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return block(
    "{",
    Object.entries(value).map(([name, entry]) => `${JSON.stringify(name)}: ${pythonLiteral(entry)}`),
    "}",
  );
}

function javascriptLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(javascriptLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return block(
    "{ ",
    Object.entries(value).map(([name, entry]) => `${name}: ${javascriptLiteral(entry)}`),
    " }",
  );
}
