/**
 * For every route and every parameter of it the largest values that get through the door. Text is as long as the body
 * may be, and as long as is usually kept. JSON has as many values and levels as are read, and files are as large as are
 * taken. They come from the route table, so that a new parameter is attacked without anybody remembering it.
 */

import type { JsonSchema } from "../../actors/shape.ts";
import type { Param } from "../../http/api/params.ts";
import type { Endpoint } from "../../http/api/route.ts";
import { routes } from "../../http/api/routes.ts";

/** A value of any length costs only its first bytes: what follows is shared. */
type Pieces = readonly Buffer[];

export interface LargestRequest {
  /** Route, parameter and what is in it. */
  name: string;
  group: string;
  method: string;
  /** Whether its caller is nobody: then the address is what is limited. */
  isAnonymous: boolean;
  /** Whether it leaves a file behind. */
  isFile: boolean;
  /** `place` makes one sending differ from the other, as far as the value allows. */
  make(place: number, known: Known): { path: string; type: string; pieces: Pieces };
}

/** What the requests are about: there to be changed, and nobody else's. */
export interface Known {
  channelId: number;
  messageId: number;
  userId: number;
}

/** What a body may have where the route says nothing; the form around a value takes little of it. */
const bodyBytes = 4 * 1024 * 1024 - 16 * 1024;
/** A request's line and headers: the older native build takes more only in one packet, none takes 64 KiB. */
const queryBytes = 3_000;
const keptLengths = [60, 10_000];
/** Just below the values that one JSON text may have. */
const manyValues = 19_000;
const deep = 49;
const maxFields = 1000;

const filler = new Map(["x", "<", "9"].map((unit) => [unit, Buffer.alloc(bodyBytes, unit)]));
const text = (value: string): Pieces => [Buffer.from(value)];
const filled = (unit: string, length: number, place: number): Pieces => {
  const start = Buffer.from(String(place));
  return [start, filler.get(unit)!.subarray(0, Math.max(0, length - start.length))];
};

type Value = (place: number) => Pieces;
const once = (make: () => string): Value => {
  let made: Pieces | undefined;
  return () => (made ??= text(make()));
};

/** The least JSON that fits the schema; numbers and texts are those of the place, so that lists hold different ones. */
function sample(schema: JsonSchema | undefined, place: number, letters = 1): unknown {
  if (schema === undefined) return place;
  const choice = (schema["oneOf"] ?? schema["anyOf"]) as JsonSchema[] | undefined;
  if (choice !== undefined) return sample(choice[0], place, letters);
  const words = schema["enum"] as unknown[] | undefined;
  if (words !== undefined) return words[0];
  if (schema.type === "integer" || schema.type === "number") return place + 1;
  if (schema.type === "boolean") return true;
  if (schema.type === "array") return [sample(schema["items"] as JsonSchema | undefined, place, letters)];
  if (schema.type === "object") {
    const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
    if (properties.length === 0) return { [`key${place}`]: "v".repeat(letters) };
    return Object.fromEntries(properties.map(([name, of]) => [name, sample(of, place, letters)]));
  }
  return `${place}`.padEnd(letters, "t");
}

const valuesIn = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 1
    : 1 + Object.values(value).reduce((sum: number, of) => sum + valuesIn(of), 0);
/** JSON in a form needs no escapes but these. */
const escaped = (value: unknown): string => JSON.stringify(value).replace(/[%&+]/g, encodeURIComponent);

/** The list, or the object of any keys, that the schema asks for, with as many values as are read. */
function many(schema: JsonSchema, room: number, letters: number): unknown {
  const one = sample(schema, 0, letters);
  const count = Math.floor(Math.min(manyValues / valuesIn(one), room / (escaped(one).length + 8)));
  const each = Array.from({ length: Math.max(1, count) }, (_, index) => sample(schema, index, letters));
  return Array.isArray(one) ? each.flat() : Object.assign({}, ...(each as object[]));
}

/** Every largest value of one parameter, in words and as it is sent. */
function largestValues(schema: JsonSchema, room: number): [what: string, value: Value][] {
  const whole: [string, Value] = ["as much text as a body takes", (place) => filled("x", room, place)];
  const kinds = [schema, ...((schema["oneOf"] ?? schema["anyOf"] ?? []) as JsonSchema[])];
  const json = kinds.find(({ type }) => type === "array" || type === "object");
  if (json !== undefined) {
    const levels = "[".repeat(deep) + "]".repeat(deep);
    return [
      whole,
      ["as many values as are read", once(() => escaped(many(json, room, 1)))],
      ["as many, in as many bytes", once(() => escaped(many(json, room, Math.floor(room / manyValues) + 100)))],
      ["one value as long as a body", once(() => escaped(many(json, 1, room - 500)))],
      ["as many levels as are read", once(() => (json.type === "array" ? levels : `{"a":${levels}}`))],
    ];
  }
  if (schema["enum"] !== undefined || schema.type === "boolean") return [whole];
  if (schema.type === "integer") return [whole, ["the largest number", once(() => "9".repeat(15))]];
  const kept = [...keptLengths, ...(typeof schema["maxLength"] === "number" ? [schema["maxLength"]] : [])];
  return [
    whole,
    ["as much of what HTML escapes", (place) => filled("<", room, place)],
    ...kept
      .filter((length) => length < room)
      .map((length): [string, Value] => [`${length} characters`, (place) => filled("x", length, place)]),
  ];
}

/** What a request needs besides, so that it gets as far as it can. */
function usual(name: string, param: Param<unknown>, known: Known): string {
  const meant: Readonly<Record<string, string | number>> = {
    type: "channel",
    to: known.channelId,
    topic: "t",
    stream_id: known.channelId,
    message_id: known.messageId,
    user_id: known.userId,
    subscriptions: '[{"name":"yard"}]',
    op: "add",
    scheduled_delivery_timestamp: 4_000_000_000,
  };
  const value = meant[name] ?? sample(param.schema, 0);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What would end the attack rather than be one: the organization, and the callers' own accounts. */
const isLeftOut = ({ method, path }: Endpoint): boolean =>
  /\/realm\/deactivate|\/users\/me\/api_key/.test(path) || (method === "DELETE" && path === "/users/me");

function pathOf(route: Endpoint, known: Known): string {
  // What takes something away is sent to what is not there: it would be refused from the second time on anyway.
  const isRemoval = route.method === "DELETE" || /deactivate/.test(route.path);
  const ids: Readonly<Record<string, number>> = {
    stream_id: known.channelId,
    message_id: known.messageId,
    user_id: known.userId,
  };
  const filled = route.path.replace(/:([a-z_]+)\*?/gi, (_, name: string) =>
    String(isRemoval ? 9_999_999 : (ids[name] ?? 1)),
  );
  return filled.startsWith("^") ? filled.slice(1) : `/api/v1${filled}`;
}

const groups: readonly (readonly [name: string, paths: RegExp])[] = [
  ["log-ins and pages", /^\^|^\/(fetch_api_key|dev_|jwt|server_settings|openapi)/],
  ["queues", /^\/(register|events)\b/],
  [
    "channels",
    /^\/(streams|channels|channel_folders|default_streams|user_topics|get_stream_id|users\/me\/subscriptions)/,
  ],
  ["messages", /^\/(messages|submessage|typing|mark_|scheduled_messages|reminders)/],
  ["people", /^\/(users|bots|settings|invites|user_groups)/],
  ["the organization", /^\/realm/],
];
const groupOf = ({ path, maxBodyBytes = 0 }: Endpoint): string =>
  maxBodyBytes > bodyBytes ? "files" : (groups.find(([, paths]) => paths.test(path))?.[0] ?? "what a person keeps");

function ofRoute(route: Endpoint): LargestRequest[] {
  const isQuery = route.method === "GET";
  const room = isQuery ? queryBytes : bodyBytes;
  const params = Object.entries(route.params).filter(([, param]) => !param.isPath);
  const common = {
    group: groupOf(route),
    method: route.method,
    isAnonymous: !route.auth.includes("apiKey"),
  };
  const form = (name: string, fields: (place: number, known: Known) => Pieces): LargestRequest => ({
    ...common,
    name: `${route.method} ${route.path} ${name}`,
    isFile: false,
    make(place, known) {
      const pieces = fields(place, known);
      const path = pathOf(route, known);
      if (!isQuery) return { path, type: "application/x-www-form-urlencoded", pieces };
      return { path: `${path}?${encodeURI(Buffer.concat(pieces).toString())}`, type: "", pieces: [] };
    },
  });
  const others = (but: string, known: Known): string =>
    params
      .filter(([name, param]) => name !== but && (param.isRequired || name === "to" || name === "topic"))
      .map(([name, param]) => `${name}=${encodeURIComponent(usual(name, param, known))}&`)
      .join("");
  const made = params.flatMap(([name, param]) =>
    largestValues(param.schema, room).map(([what, value]) =>
      form(`${name}: ${what}`, (place, known) => [Buffer.from(`${others(name, known)}${name}=`), ...value(place)]),
    ),
  );
  made.push(form("an unknown name", (place) => [...filled("x", room, place), Buffer.from("=1")]));
  made.push(
    form("as many unknown fields", (place) => {
      const value = isQuery ? "" : "x".repeat(Math.floor(room / maxFields) - 20);
      const count = Math.min(maxFields, Math.floor(room / 30));
      return text(Array.from({ length: count }, (_, index) => `f${place}-${index}=${value}`).join("&"));
    }),
  );
  if (route.maxBodyBytes !== undefined && route.maxBodyBytes > bodyBytes) made.push(fileRequest(route, common, params));
  return made;
}

function fileRequest(
  route: Endpoint,
  common: Pick<LargestRequest, "group" | "method" | "isAnonymous">,
  params: readonly [string, Param<unknown>][],
): LargestRequest {
  const size = route.maxBodyBytes! - (route.maxBodyBytes! > 2 ** 26 ? 2 ** 20 : 2 ** 16) - 1024;
  const png = Buffer.from("89504e470d0a1a0a", "hex");
  return {
    ...common,
    name: `${route.method} ${route.path} a file of ${size} bytes`,
    isFile: true,
    make(place, known) {
      const fields = params
        .filter(([, param]) => param.isRequired)
        .map(
          ([name, param]) =>
            `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${usual(name, param, known)}\r\n`,
        );
      const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${place}.png"\r\nContent-Type: image/png\r\n\r\n`;
      const pieces = [Buffer.from(fields.join("") + head), png];
      const content = filler.get("x")!;
      for (let left = size - png.length; left > 0; left -= content.length) pieces.push(content.subarray(0, left));
      pieces.push(Buffer.from("\r\n--b--\r\n"));
      return { path: pathOf(route, known), type: "multipart/form-data; boundary=b", pieces };
    },
  };
}

/** All of them, by group. */
export function largestRequests(): Map<string, LargestRequest[]> {
  const byGroup = new Map<string, LargestRequest[]>();
  for (const request of routes.filter((route) => !isLeftOut(route)).flatMap(ofRoute)) {
    const group = byGroup.get(request.group) ?? [];
    group.push(request);
    byGroup.set(request.group, group);
  }
  return byGroup;
}
