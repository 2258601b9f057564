/** The page of the API says all there is to know about each endpoint, and its examples work. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createReadStream, openAsBlob } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleNames, hasExample } from "../../../http/api/examples.ts";
import { isListed, openApiDocument, operationId } from "../../../http/api/openapi.ts";
import { routes } from "../../../http/api/routes.ts";
import { meaningOf, sharedNames } from "../../../http/api/shared-words.ts";
import { echoBots } from "../../../http/pages/echo-bots.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const endpoints = routes.filter((route) => !route.path.startsWith("^") && isListed(route));
beforeAll(setUp);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("words", () => {
  it("say of every parameter and of every field of an answer what it means", () => {
    const document = openApiDocument(routes, "/");
    expect(undescribed(document["paths"], [])).toEqual([]);
  });

  it("that names share are each for something that there is", () => {
    const told = [...named(openApiDocument(routes, "/")["paths"])];
    const used = new Set(
      told.filter(([name, { description }]) => description === meaningOf(name)).map(([name]) => name),
    );
    const isUsed = (name: string) => used.has(name) || used.has(`realm_${name}`);
    expect(sharedNames.filter((name) => !isUsed(name))).toEqual([]);
    expect(sharedNames.length).toBeGreaterThan(100);
  });
});

describe("the page of the API", () => {
  it("has a place of its own for every endpoint, with three examples", () => {
    expect([...examples.keys()].sort()).toEqual(endpoints.map(operationId).sort());
    for (const [id, example] of examples) expect(Object.values(example).join(""), id).not.toMatch(/undefined|\[object/);
  });

  it("has an example of every parameter that is required", () => {
    const missing = endpoints.flatMap((route) =>
      Object.entries(route.params)
        .filter(([name, param]) => (param.isPath || param.isRequired) && !hasExample(route, name))
        .map(([name]) => `${route.method} ${route.path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("has no example of an endpoint or a parameter that there is not", () => {
    const places = routes.map(({ method, path }) => `${method} ${path}`);
    expect(exampleNames.requests.filter((place) => !places.includes(place))).toEqual([]);
    const names = new Set(routes.flatMap(({ params }) => Object.keys(params)));
    expect(exampleNames.values.filter((name) => !names.has(name))).toEqual([]);
  });

  it("has curl examples that a new organization refuses only for want of what they name", async () => {
    const refused: string[] = [];
    const ask = async (ids: readonly string[]) => {
      for (const request of curlRequests(ids)) {
        const answer = await sendCurl(request);
        refused.push(...problemsWith(request.id, answer));
        const { result, msg } = answer as Record<string, string>;
        if (result !== "success" && !isForWantOfSomething.test(msg!)) refused.push(`${request.id}: ${msg}`);
      }
    };
    await ask(harmless());
    await ask(["delete_users_me"]);
    expect(refused).toEqual([]);
  });

  it("has JavaScript examples none of which is refused for what it sends", async () => {
    // Only now: it puts a FormData of its own into the place of Node's.
    const { default: zulip } = await import("zulip-js");
    const client = await zulip({ username: server.owner.email, apiKey: server.owner.apiKey, realm: server.url });
    const refused: string[] = [];
    for (const id of harmless()) {
      const source = examples.get(id)!.JavaScript.replace(/^import .*\n/, "");
      const run = new AsyncFunction("client", "csrf", "fetch", "createReadStream", `${source}\nreturn answer;`);
      const browser = isForBrowsers(id) ? await logIn() : undefined;
      const fetchAs = (address: string, options: RequestInit = {}) =>
        fetch(new URL(address, server.url), { ...options, headers: { ...options.headers, ...browser?.headers } });
      const openPicture = (name: string) => createReadStream(join(folder, name));
      const answer = await run(client, browser?.csrf, fetchAs, openPicture);
      refused.push(...problemsWith(id, answer instanceof Response ? plainAnswer(answer) : (answer as Json)));
    }
    expect(refused).toEqual([]);
  });

  it.skipIf(spawnSync("python3", ["--version"]).status !== 0)("has Python that is Python", () => {
    const sources = [...examples.values()].map(({ Python }) => Python).concat(echoBots.python);
    const check = "import ast, json, sys\nfor source in json.load(sys.stdin): ast.parse(source)";
    execFileSync("python3", ["-c", check], { input: JSON.stringify(sources) });
  });

  const hasClient = spawnSync("python3", ["-c", "import requests, zulip"]).status === 0;
  it.skipIf(!hasClient)("has Python examples none of which is refused for what it sends", async () => {
    const { email, apiKey } = server.owner;
    // Those of log-ins first, each with one of its own: some examples end them.
    const ids = harmless().sort((a, b) => Number(isForBrowsers(b)) - Number(isForBrowsers(a)));
    const sessions: Record<string, string> = {};
    for (const id of ids.filter(isForBrowsers)) sessions[id] = (await logIn()).headers["Cookie"]!;
    const sources = ids.map((id) => [id, withOwnUrl(examples.get(id)!.Python)]);
    const given = JSON.stringify({ email, apiKey, site: server.url, sources, sessions });
    await writeFile(join(folder, "given.json"), given);
    const options = { cwd: folder, maxBuffer: 2 ** 27 };
    const { stdout } = await promisify(execFile)("python3", ["-c", runPython], options);
    const answers = JSON.parse(stdout) as Record<string, Json>;
    expect(Object.keys(answers).sort()).toEqual([...ids].sort());
    expect(Object.entries(answers).flatMap(([id, answer]) => problemsWith(id, answer))).toEqual([]);
  });

  it("has examples of what ends a key and an organization", async () => {
    const [regenerate] = curlRequests(["post_users_me_api_key_regenerate"]);
    const answer = await sendCurl(regenerate!);
    expect(problemsWith("regenerate", answer)).toEqual([]);
    const [deactivate] = curlRequests(["post_realm_deactivate"], answer["api_key"] as string);
    expect(await sendCurl(deactivate!)).toMatchObject({ result: "success" });
  });
});

/**
 * Why a new organization refuses an example that works in others. The example names something that is not there, or
 * whoever runs the server has to set something up.
 */
const isForWantOfSomething = new RegExp(
  [
    "does not exist|not found|^No such|^Not subscribed|must enumerate all|^Bad event queue ID",
    "^Invalid (message\\(s\\)|channel ID|channel folder ID|user ID|user group|attachment|data export ID|device_id|playground)",
    "^Invalid (order mapping|APNS token)|^No active registered push device|^Moderation request channel must",
    "is not configured|is not set|^This server has no provider of GIFs|(is|are) not enabled|^Server is not configured|not available in production",
    "^This needs your password|^Passkeys need|^You have no passkey|^Codes are your only|^No second factor is on|^This is not the code that|^This server sends no email",
    "^This endpoint is only for bots|password is incorrect|^Wrong password!$|the only organization owner",
  ].join("|"),
);
let examples: ReadonlyMap<string, Example>;
let folder: string;

async function setUp(): Promise<void> {
  const page = await new ApiClient({ url: server.url }).get("/api/", {}, { root: true });
  const bot = { full_name: "Services", short_name: "services", bot_type: 2 };
  const { api_key } = expectSuccess(await server.owner.client.post("/bots", bot));
  // The key of the example, for services that post, is nobody's.
  examples = examplesOn(page.text.replaceAll("56quLylNgLVLkk8nbRz5MwoZl6Mu66eq", api_key as string));
  folder = await mkdtemp(join(tmpdir(), "parley-examples-"));
  const picture = sharp({ create: { width: 32, height: 32, channels: 3, background: "#2b5fd9" } });
  await writeFile(join(folder, "picture.png"), await picture.png().toBuffer());
}

interface Example {
  curl: string;
  Python: string;
  JavaScript: string;
}
type Json = Record<string, unknown>;
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (...args: unknown[]) => Promise<unknown>;

/** What ends the caller's key, account, or organization. */
const endings = ["post_users_me_api_key_regenerate", "delete_users_me", "post_realm_deactivate"];
const harmless = (): string[] => endpoints.map(operationId).filter((id) => !endings.includes(id));
const isForBrowsers = (id: string): boolean =>
  endpoints.some((route) => operationId(route) === id && route.auth.length === 1 && route.auth[0] === "cookie");

function examplesOn(page: string): Map<string, Example> {
  const plain = (html: string) => html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const found = new Map<string, Example>();
  for (const [, id, details] of page.matchAll(/<details id="(\w+)">(.*?)<\/details>/gs)) {
    const blocks = [...details!.matchAll(/<p class="hint">(\w+)<\/p>\n<pre[^>]*><code>(.*?)<\/code>/gs)];
    found.set(id!, Object.fromEntries(blocks.map(([, language, text]) => [language, plain(text!)])) as never);
  }
  return found;
}

/** Arguments of curl as a shell makes them. */
function curlRequests(ids: readonly string[], key = server.owner.apiKey): { id: string; args: string[] }[] {
  const shim = "curl() { printf '%s\\0' \"$@\"; printf '\\036'; }";
  const commands = ids.map((id) => examples.get(id)!.curl).join("\n");
  const env = { EMAIL: server.owner.email, KEY: key, CSRF: "CSRF_TOKEN" };
  const output = execFileSync("sh", ["-eu"], { input: `${shim}\n${commands}\n`, env, encoding: "utf8" });
  const requests = output.split("\x1e").slice(0, -1);
  expect(requests).toHaveLength(ids.length);
  return requests.map((text, index) => ({ id: ids[index]!, args: text.split("\0").slice(0, -1) }));
}

/** Sends what curl would. @throws Error for an option that this does not know */
async function sendCurl({ id, args }: { id: string; args: string[] }): Promise<Json> {
  const headers = new Headers();
  const fields: [string, string][] = [];
  let method: string | undefined;
  let address = "";
  let isQuery = false;
  let picture: string | undefined;
  let browser: Awaited<ReturnType<typeof logIn>> | undefined;
  for (const rest = [...args]; rest.length > 0; ) {
    const option = rest.shift()!;
    if (option === "-sS" || option === "-sSL") continue;
    if (option === "-G") isQuery = true;
    else if (option === "-X") method = rest.shift();
    else if (option === "-u") headers.set("Authorization", `Basic ${btoa(rest.shift()!)}`);
    else if (option === "-H")
      headers.set(...(rest.shift()!.replace("CSRF_TOKEN", browser!.csrf).split(": ") as [string, string]));
    else if (option === "-b") {
      rest.shift();
      browser = await logIn();
      headers.set("Cookie", browser.headers["Cookie"]!);
    } else if (option === "-F") picture = rest.shift()!.replace("file=@", "");
    else if (option === "--data-urlencode" || option === "--form-string") {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(rest.shift()!)!;
      fields.push([name!, value!]);
    } else if (option.startsWith("-")) throw new Error(`${id}: what is ${option}?`);
    else address = option;
  }
  const form = new URLSearchParams(fields);
  const url = isQuery ? `${address}?${form}` : address;
  const options: RequestInit = { headers };
  if (picture !== undefined) {
    const parts = new FormData();
    for (const [name, value] of fields) parts.append(name, value);
    parts.append("file", await openAsBlob(join(folder, picture)), picture);
    options.body = parts;
  } else if (fields.length > 0 && !isQuery) options.body = form;
  options.method = method ?? (options.body ? "POST" : "GET");
  const response = await fetch(withOwnUrl(url), options);
  if (!endpoints.find((route) => operationId(route) === id)!.returns) return plainAnswer(response);
  const text = await response.text();
  return { status: response.status, ...(JSON.parse(text) as Json) };
}

/** The page tells the address that the server is known by, which is not where a test finds it. */
const withOwnUrl = (text: string): string => text.replace(/https?:\/\/localhost:\d+/g, server.url);

/** Runs each example with a client of its own log-in, and prints what each `result` is. */
const runPython = `
import json, requests, zulip
given = json.load(open("given.json"))
answers = {}
for name, source in given["sources"]:
    session = requests.Session()
    for pair in given["sessions"].get(name, "").split("; "):
        if "=" in pair:
            session.cookies.set(*pair.split("=", 1))
    known = {"requests": requests, "session": session}
    known["client"] = zulip.Client(email=given["email"], api_key=given["apiKey"], site=given["site"], retry_on_errors=False)
    exec(source, known)
    result = known["result"]
    answers[name] = {"result": "success" if result.ok else str(result)} if isinstance(result, requests.Response) else result
print(json.dumps(answers))
`;

/** Of what is no JSON of the API. */
const plainAnswer = ({ ok, status }: Response): Json => ({ result: ok ? "success" : `status ${status}` });

/** Cookies of a log-in, with the token that changes need. */
async function logIn(): Promise<{ headers: Record<string, string>; csrf: string }> {
  const body = new URLSearchParams({ username: server.owner.email, password: "correct horse" });
  const answer = await fetch(`${server.url}/login/`, { method: "POST", body, redirect: "manual" });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
  const csrf = cookies.find((cookie) => cookie.startsWith("csrftoken="))!.slice("csrftoken=".length);
  return { headers: { Cookie: cookies.join("; "), "X-CSRFToken": csrf }, csrf };
}

/** Why an answer says that the request was not what the endpoint takes; things that do not exist are no reason. */
function problemsWith(id: string, answer: Json): string[] {
  const route = endpoints.find((each) => operationId(each) === id);
  const { result, code, msg, ignored_parameters_unsupported: ignored } = answer as Record<string, string>;
  const names = Object.keys(route?.params ?? {});
  const choices = names.filter((name) => "enum" in route!.params[name]!.schema);
  const anyOf = (some: string[]) => `(${some.join("|") || "\\0"})`;
  const mismatch = new RegExp(
    `^(Argument )?"?${anyOf(names)}"?\\b.* (is not|is missing|is too|cannot be)|^Invalid ${anyOf(choices)}$`,
  );
  const isWrong =
    (result !== "success" && result !== "error") ||
    ignored !== undefined ||
    Number(answer["status"] ?? 200) >= 500 ||
    /^REQUEST_|^UNAUTH|METHOD|^INVALID_JSON/.test(code ?? "") ||
    mismatch.test(msg ?? "") ||
    /must upload|must specify a file|CSRF/i.test(msg ?? "");
  return isWrong ? [`${id}: ${JSON.stringify(answer).slice(0, 300)}`] : [];
}

/** Places of parameters and properties that have no description. */
function undescribed(value: unknown, path: readonly string[]): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => undescribed(each, [...path, each?.name ?? index]));
  if (typeof value !== "object" || value === null) return [];
  const object = value as Json;
  const isProperty = path.at(-2) === "properties" || path.at(-2) === "parameters";
  const own = isProperty && typeof object["description"] !== "string" ? [path.join(" ")] : [];
  return [...own, ...Object.entries(object).flatMap(([key, each]) => undescribed(each, [...path, key]))];
}

/** Parameters and properties, with their names. */
function* named(value: unknown): Generator<[name: string, described: Json]> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value as Json)) {
    if (key === "properties") yield* Object.entries(each as Record<string, Json>);
    if (key === "parameters") for (const parameter of each as Json[]) yield [String(parameter["name"]), parameter];
    yield* named(each);
  }
}
