/**
 * Names that every JavaScript object has, as keys and as values, in each parameter of each endpoint. They are names
 * like any other. So the answer is a success or says what is wrong, and is never a failure of the server.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Param } from "../../../http/api/params.ts";
import { routes } from "../../../http/api/routes.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

const names = ["toString", "valueOf", "__proto__", "constructor", "hasOwnProperty", "toJSON", "then", "length"];
const objects = ['{"toString":1}', '{"to\\u0053tring":1}', `{${names.map((name) => `"${name}":{"toString":1}`)}}`];
/** Places in which the parameters of this API have objects. */
const wraps: ((json: string) => string)[] = [
  (json) => json,
  (json) => `[${json}]`,
  (json) => `[[${json}]]`,
  (json) => `["channel",${json}]`,
  (json) => `[["channel",${json}]]`,
  (json) => `[["dm",[${json}]]]`,
  (json) => `[{"operator":"sender","operand":${json}}]`,
  (json) => `[{"type":"stream","to":${json},"topic":${json},"content":"c"}]`,
  (json) => `{"new":${json},"old":${json}}`,
  (json) => `{"new":{"direct_members":[${json}],"direct_subgroups":${json}}}`,
  (json) => `[{"name":${json},"id":${json},"value":${json},"stream_id":${json},"property":${json}}]`,
];
const list = (wrap: (name: string) => string) => `[${names.map(wrap)}]`;
const values = [
  ...wraps.flatMap((wrap) => objects.map(wrap)),
  ...names,
  list((name) => `"${name}"`),
  list((name) => `["${name}","${name}"]`),
  list((name) => `{"operator":"${name}","operand":"${name}"}`),
];

let server: TestServer;
let member: Person;
beforeAll(async () => {
  server = await startTestServer({ PARLEY_LOG_LEVEL: "silent", PARLEY_PUSH_RELAY_URL: "http://127.0.0.1:9" });
  member = await server.addUser("Mel");
});
afterAll(() => server.stop());

/** Something that fits, so that the parameter in question is what is looked at. */
function plausible(name: string, { schema }: Param<unknown>): string {
  if (Array.isArray(schema["enum"])) return String(schema["enum"][0]);
  if (/user/.test(name)) return String(member.id);
  return { integer: "1", boolean: "true", array: "[]", object: "{}" }[String(schema.type)] ?? "1";
}

async function send(method: string, path: string, fields: [string, string][]): Promise<string | undefined> {
  const encoded = new URLSearchParams(fields).toString();
  const inQuery = method === "GET";
  const response = await fetch(`${server.url}${path}${inQuery && encoded ? `?${encoded}` : ""}`, {
    method,
    redirect: "manual",
    headers: {
      authorization: `Basic ${Buffer.from(`${server.owner.email}:${server.owner.apiKey}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    ...(!inQuery && { body: encoded }),
  });
  const text = await response.text();
  // The test notifications have no relay here, and say so.
  return response.status >= 500 && !/relay|notification/i.test(text)
    ? `${response.status} ${text.slice(0, 100)}`
    : undefined;
}

it("no parameter of any endpoint fails over a name that every object has", async () => {
  const failures: string[] = [];
  let asked = 0;
  const work: (() => Promise<void>)[] = [];
  // Some endpoints have several paths.
  const distinct = new Map(routes.map((route) => [route.params, route])).values();
  for (const route of distinct) {
    const params = Object.entries(route.params);
    for (const [probed, param] of params) {
      for (const value of values) {
        const sent = (name: string) => (name === probed ? value : plausible(name, route.params[name]!));
        const rooted = route.path.startsWith("^") ? route.path.slice(1) : `/api/v1${route.path}`;
        const path = rooted.replace(/:([a-z_]+)\*?/gi, (_, name: string) => encodeURIComponent(sent(name)));
        // The probed one, and those that are needed; with and without the others.
        const fields = params
          .filter(([name, other]) => !other.isPath && (name === probed || other.isRequired))
          .map(([name]): [string, string] => [name, sent(name)]);
        if (!param.isPath && !fields.some(([name]) => name === probed)) continue;
        work.push(async () => {
          asked++;
          const failure = await send(route.method, path, fields);
          if (failure) failures.push(`${route.method} ${route.path} ${probed}=${value}: ${failure}`);
        });
      }
    }
  }
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let next = work.pop(); next && failures.length < 400; next = work.pop()) await next();
    }),
  );
  const places = new Map(failures.map((line) => [line.split("=")[0]!, line]));
  expect([...places.values()]).toEqual([]);
  expect(asked).toBeGreaterThan(routes.length);
}, 300_000);
