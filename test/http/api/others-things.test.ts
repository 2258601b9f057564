/**
 * Nobody changes what is others'. Those who may do least ask each changing endpoint, with ids of what they may not
 * change. They ask with each of its parameters. Afterwards all that others have is as it was.
 */
import { beforeAll, expect, it } from "vitest";
import { basic } from "../../../bench/load/request.ts";
import type { Param } from "../../../http/api/params.ts";
import { routes } from "../../../http/api/routes.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ nodeCount: 1 });
const { owner } = server;
const [bob, gus, dora, rita] = server.people("Bob", ["Gus Guest", 600], "Dora Deactivated", "Rita Reader");
const vault = server.channel("vault", [owner, bob], { invite_only: true });

/** Things of Bob's and the owner's, by what a parameter calls them. */
const ids: Record<string, unknown> = {};
let readKey: string;
/** What an account may end for itself. What comes after these would be asked by nobody. */
const ownEnd = new Set([
  "DELETE /users/me",
  "DELETE /users/me/sessions",
  "POST /users/me/api_key/regenerate",
  "PATCH /settings",
]);
/** What changes by itself, or by somebody's being there. */
const restless =
  /^(queue_id|.*last_event_id|server_(time|gen).*|max_message_id|presences?|.*timestamp|.*presence_last.*)$/;

beforeAll(async () => {
  const post = async (person: Person, path: string, params: JsonObject = {}) =>
    expectSuccess(await person.client.post(path, params)) as Record<string, unknown>;
  ids["message_id"] = await bob.say(vault, "a secret");
  await bob.say(owner, "for your eyes");
  await post(owner, `/messages/${ids["message_id"]}/reactions`, { emoji_name: "tada" });
  ids["draft_id"] = (
    (await post(bob, "/drafts", {
      drafts: [{ type: "private", to: [owner.id], topic: "", content: "draft", timestamp: 1_700_000_000 }],
    })) as { ids: number[] }
  ).ids[0];
  const snippet = await post(bob, "/saved_snippets", { title: "Snippet", content: "text" });
  ids["saved_snippet_id"] = snippet["saved_snippet_id"];
  const group = await post(owner, "/user_groups/create", { name: "keepers", description: "", members: [bob.id] });
  ids["user_group_id"] = group["group_id"];
  ids["bot_id"] = (await post(bob, "/bots", { full_name: "Bobs Bot", short_name: "bobs" }))["user_id"];
  ids["filter_id"] = (await post(owner, "/realm/filters", { pattern: "X[0-9]+", url_template: "https://x.test/" }))[
    "id"
  ];
  ids["field_id"] = (await post(owner, "/realm/profile_fields", { name: "Team", field_type: 1 }))["id"];
  await post(owner, "/realm/domains", { domain: "example.org", allow_subdomains: false });
  await post(bob, "/users/me/alert_words", { alert_words: ["figs"] });
  Object.assign(ids, {
    stream_id: vault.id,
    channel_id: vault.id,
    user_id: bob.id,
    user: bob.id,
    domain: "example.org",
  });
  const realm = await server.realm();
  const key = await realm.execute("addFurtherKey", {
    actorId: rita.id,
    name: "r",
    scope: "read",
    validSecs: undefined,
  });
  readKey = key.api_key;
  expectSuccess(await owner.client.delete(`/users/${dora.id}`));
});

it.each<[string, () => { email: string; apiKey: string } | undefined]>([
  ["a guest", () => gus],
  ["whoever has no account", () => undefined],
  ["somebody who was deactivated", () => dora],
  ["a key that only reads", () => ({ email: rita.email, apiKey: readKey })],
])(
  "%s changes nothing of anybody",
  async (_name, whom) => {
    const caller = whom();
    const before = await everything();
    const answers = new Map<number, number>();
    for (const question of questions()) {
      const status = await ask(question, caller);
      expect(status, `${question.method} ${question.path} ${question.fields}`).toBeLessThan(500);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
    expect(await everything()).toEqual(before);
    expect([...answers.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(700);
    // Who is known is still known: what was asked was asked in their name.
    if (caller && caller !== dora)
      expect(await ask({ method: "GET", path: "/users/me", fields: "" }, caller)).toBe(200);
  },
  300_000,
);

interface Question {
  method: string;
  path: string;
  fields: string;
}

/** Each endpoint with its needed parameters alone, and with each of the others. */
function* questions(): Generator<Question> {
  for (const route of new Map(routes.map((one) => [`${one.method} ${one.path}`, one])).values()) {
    if (route.method === "GET" || route.path.startsWith("^") || ownEnd.has(`${route.method} ${route.path}`)) continue;
    const params = Object.entries(route.params);
    const path = route.path.replace(/:([a-z_]+)\*?/gi, (_whole, name: string) =>
      encodeURIComponent(valueFor(name, route.params[name])),
    );
    const others = params.filter(([, param]) => !param.isPath && !param.isRequired);
    for (const other of [undefined, ...others]) {
      const sent = params.filter(([name, param]) => !param.isPath && (param.isRequired || name === other?.[0]));
      const fields = new URLSearchParams(sent.map(([name, param]) => [name, valueFor(name, param)])).toString();
      yield { method: route.method, path, fields };
    }
  }
}

function valueFor(name: string, param: Param<unknown> | undefined): string {
  const known = ids[name];
  if (known !== undefined) return String(known);
  const schema = param?.schema ?? {};
  if (/^(messages|message_ids)$/.test(name)) return JSON.stringify([ids["message_id"]]);
  if (/^(members|principals|add|delete|target_users)$/.test(name)) return JSON.stringify([gus.id]);
  if (/^(to|stream_ids|default_streams)$/.test(name)) return JSON.stringify([vault.id]);
  if (/^(subscriptions|streams)$/.test(name)) return '[{"name":"vault"}]';
  if (Array.isArray(schema["enum"])) return String(schema["enum"].at(-1));
  return (
    { integer: "1", boolean: "true", array: "[]", object: `{"new":${gus.id},"old":1}` }[String(schema.type)] ?? "taken"
  );
}

async function ask({ method, path, fields }: Question, caller?: { email: string; apiKey: string }): Promise<number> {
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(caller && { authorization: basic(caller) }),
  };
  const init = { method, headers, redirect: "manual" as const, ...(method !== "GET" && { body: fields }) };
  const answer = await fetch(`${server.url}/api/v1${path}`, init);
  await answer.arrayBuffer();
  return answer.status;
}

/** All that Bob and the owner have and see, but for those who ask. */
async function everything(): Promise<unknown> {
  const askers = new Set([gus.id, dora.id, rita.id]);
  const read = async (person: Person) => {
    const state = expectSuccess(await person.client.post("/register", {})) as Record<string, unknown>;
    const users = (state["realm_users"] as { user_id: number }[]).filter(({ user_id }) => !askers.has(user_id));
    const kept = Object.entries({ ...state, realm_users: users }).filter(([name]) => !restless.test(name));
    const { messages } = expectSuccess(
      await person.client.get("/messages", { anchor: "newest", num_before: 1000, num_after: 0 }),
    );
    const { drafts } = expectSuccess(await person.client.get("/drafts"));
    return { state: Object.fromEntries(kept), messages, drafts };
  };
  const { streams } = expectSuccess(await owner.client.get("/streams", { include_all: true }));
  const { invites } = expectSuccess(await owner.client.get("/invites"));
  const { domains } = expectSuccess(await owner.client.get("/realm/domains"));
  return { owner: await read(owner), bob: await read(bob), streams, invites, domains };
}
