/**
 * Names that every JavaScript object has, as keys and as values, in each parameter of each endpoint. They are names
 * like any other. So the answer is a success or says what is wrong, and is never a failure of the server.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Answer, Connection, Reader } from "../../../bench/load/connection.ts";
import { basic } from "../../../bench/load/request.ts";
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

/** A whole request as it goes on the wire. */
function requestOf(method: string, path: string, fields: [string, string][]): string {
  const encoded = new URLSearchParams(fields).toString();
  const [query, body] = method === "GET" ? [encoded && `?${encoded}`, ""] : ["", encoded];
  return (
    `${method} ${path}${query} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${basic(server.owner)}\r\n` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

interface Question {
  place: string;
  request: string;
}

/** Asks over one connection until there is nothing more to ask: `fetch` takes many times the processor time. */
function askAll(next: () => Question | undefined, take: (asked: Question, answer: Answer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let asked: Question | undefined;
    const goOn = () => {
      asked = next();
      if (asked) return connection.send(asked.request);
      connection.close();
      resolve();
    };
    const heard = (answer: Answer) => {
      take(asked!, answer);
      goOn();
    };
    const failed = (error: Error) => reject(new Error(`${asked?.place}: ${error.message}`, { cause: error }));
    const connection = new Connection(server.server.port, new Reader(), heard, failed);
    goOn();
  });
}

/** What is wrong with an answer. The test notifications have no relay here, and say so. */
function failureOf({ status, body }: Answer): string | undefined {
  if (status < 500) return undefined;
  const text = body.toString();
  return /relay|notification/i.test(text) ? undefined : `${status} ${text.slice(0, 100)}`;
}

it("no parameter of any endpoint fails over a name that every object has", async () => {
  const failures: string[] = [];
  let asked = 0;
  const work: Question[] = [];
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
        work.push({
          place: `${route.method} ${route.path} ${probed}=${value}`,
          request: requestOf(route.method, path, fields),
        });
      }
    }
  }
  const next = () => (failures.length < 400 ? work.pop() : undefined);
  const take = ({ place }: Question, answer: Answer) => {
    asked++;
    const failure = failureOf(answer);
    if (failure) failures.push(`${place}: ${failure}`);
  };
  await Promise.all(Array.from({ length: 8 }, () => askAll(next, take)));
  const places = new Map(failures.map((line) => [line.split("=")[0]!, line]));
  expect([...places.values()]).toEqual([]);
  expect(asked).toBeGreaterThan(routes.length);
}, 600_000);
