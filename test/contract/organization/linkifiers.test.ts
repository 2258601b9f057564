import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MOBILE, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [adam, mona, mia, gwen] = server.people(["Adam Admin", 200], ["Mona Moderator", 300], "Mia Member", [
  "Gwen Guest",
  600,
]);

describe("POST /realm/filters", () => {
  it("answers an id, and everybody reads the linkifier as it was given", async () => {
    const whole = {
      ...rule({ pattern: "BUG#(?P<id>[0-9]+)", url_template: "https://example.org/bug/{id}" }),
      example_input: '"BUG#12"',
      reverse_template: '"BUG#{id}"',
      alternative_url_templates: ["https://old.example.org/{id}"],
    };
    const id = await add(whole);
    const kept = { ...whole, id, example_input: "BUG#12", reverse_template: "BUG#{id}" };
    for (const person of [owner, mia, gwen]) expect(await list(person)).toContainEqual(kept);
  });

  it("example_input, reverse_template and alternative_url_templates may be left out or null", async () => {
    const nothing = { example_input: null, reverse_template: null, alternative_url_templates: [] };
    expect(await find(await add(rule()))).toMatchObject(nothing);
    expect(await find(await add(rule({ example_input: null, reverse_template: null })))).toMatchObject(nothing);
  });

  it("pattern and url_template are required", async () => {
    const { pattern, url_template } = rule();
    expect(expectError(await post({ pattern }), 400, "REQUEST_VARIABLE_MISSING")["var_name"]).toBe("url_template");
    expect(expectError(await post({ url_template }), 400, "REQUEST_VARIABLE_MISSING")["var_name"]).toBe("pattern");
  });

  it("a pattern that is no Python regular expression is BAD_REQUEST", async () => {
    for (const pattern of ["", " ", "(", "a**b[", "(?P<id>[0-9]+", "(?<id>[0-9]+)", "(?P<1d>x)", "x{99999}"])
      expectError(await post(rule({ pattern, url_template: "https://example.org/" })), 400, "BAD_REQUEST");
  });

  it("a template that is not RFC 6570, or has a variable that is no group of the pattern, is BAD_REQUEST", async () => {
    for (const url_template of [
      "https://example.org/{",
      "https://example.org/{id",
      "https://e.org/{other}",
      "https://e.org/<b>",
    ])
      expectError(await post(rule({ url_template })), 400, "BAD_REQUEST");
  });

  it("a template that lacks a group of the pattern is BAD_REQUEST", async () => {
    const pattern = "both-(?P<team>[a-z]+)-(?P<id>[0-9]+)";
    for (const url_template of ["https://example.org/", "https://e.org/{id}", "https://e.org/{team}"])
      expect(expectError(await post(rule({ pattern, url_template })), 400, "BAD_REQUEST")["msg"]).toMatch(
        /^Group “(team|id)” in linkifier pattern is not present in URL template\.$/,
      );
  });

  it("a template that would run script is BAD_REQUEST", async () => {
    for (const url_template of ["javascript:alert({id})", "data:text/html,{id}"])
      expectError(await post(rule({ url_template })), 400, "BAD_REQUEST");
  });

  it("example_input must match the pattern", async () => {
    expectError(await post(rule({ example_input: '"nothing like it"' })), 400, "BAD_REQUEST");
  });

  it("reverse_template needs an example and must give it back", async () => {
    const base = { pattern: "rev-(?P<id>[0-9]+)", url_template: "https://example.org/rev/{id}" };
    expectError(await post({ ...base, reverse_template: '"rev-{id}"' }), 400, "BAD_REQUEST");
    const with_example = { ...base, example_input: '"rev-7"' };
    for (const reverse of ["rev_{id}", "rev-{other}", "rev-{id", "rev-{{id}}"])
      expectError(await post({ ...with_example, reverse_template: JSON.stringify(reverse) }), 400, "BAD_REQUEST");
    await add({ ...with_example, reverse_template: '"rev-{id}"' });
  });

  it("{{ and }} in reverse_template are literal braces", async () => {
    await add({
      pattern: "\\{set(?P<id>[0-9]+)\\}",
      url_template: "https://example.org/set/{id}",
      example_input: '"{set5}"',
      reverse_template: '"{{set{id}}}"',
    });
  });

  it("each alternative template is checked", async () => {
    for (const bad of ["https://bad.example.org/{other}", "https://bad.example.org/{", "", " "]) {
      const alternative_url_templates = ["https://ok.example.org/{id}", bad];
      expectError(await post(rule({ alternative_url_templates })), 400, "BAD_REQUEST");
    }
  });

  it("a pattern that is there is refused", async () => {
    const one = rule();
    await add(one);
    expectError(await post({ ...one, url_template: "https://elsewhere.example.org/{id}" }), 400, "BAD_REQUEST");
  });

  it("wrong JSON types are refused", async () => {
    for (const change of [
      { example_input: "7" },
      { reverse_template: "{}" },
      { example_input: "[]" },
      { alternative_url_templates: '"x"' },
      { alternative_url_templates: "[7]" },
      { alternative_url_templates: "[" },
      { pattern: "a\0b" },
    ])
      expectError(await post(rule(change)), 400, "BAD_REQUEST");
  });

  it("a pattern that would blow up elsewhere neither stalls its own check nor a message", async () => {
    const id = await add({ pattern: "(?P<id>(a+)+)$", url_template: "https://example.org/{id}" });
    expectSuccess(
      await mia.client.post("/messages", { type: "direct", to: [mia.id], content: `${"a".repeat(5000)}!` }),
    );
    expectSuccess(await adam.client.delete(`/realm/filters/${id}`));
    expectError(await post(rule({ pattern: "x".repeat(1_000_000) })), 400, "BAD_REQUEST");
    expectError(
      await post(rule({ pattern: "((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})" })),
      400,
      "BAD_REQUEST",
    );
  });

  it("linkifies the messages that come after it", async () => {
    await add({ pattern: "DOC(?P<n>[0-9]+)", url_template: "https://docs.example.org/{n}" });
    const queue = await mia.client.register({ event_types: ["message"], apply_markdown: true });
    expectSuccess(await mia.client.post("/messages", { type: "direct", to: [mia.id], content: "see DOC42" }));
    const event = await mia.client.nextEvent(
      { queueId: queue.queue_id as string, lastEventId: queue.last_event_id as number },
      (one) => one.type === "message",
    );
    expect((event["message"] as { content: string }).content).toContain('href="https://docs.example.org/42"');
  });
});

describe("linkifiers", () => {
  it("PATCH /realm/filters/{id} replaces a linkifier in its place", async () => {
    const [first, second] = [await add(), await add()];
    const changed = rule();
    expectSuccess(await adam.client.patch(`/realm/filters/${first}`, changed));
    const ids = (await list()).map((one) => one.id);
    expect(await find(first)).toMatchObject(changed);
    expect(ids.indexOf(first)).toBe(ids.indexOf(second) - 1);
    expectError(await adam.client.patch(`/realm/filters/${first}`, rule({ pattern: "(" })), 400, "BAD_REQUEST");
    expect(await find(first)).toMatchObject(changed);
    const taken = (await find(second))!;
    expectError(await adam.client.patch(`/realm/filters/${first}`, { ...taken, id: undefined }), 400, "BAD_REQUEST");
    expectSuccess(await adam.client.patch(`/realm/filters/${first}`, changed));
  });

  it("PATCH /realm/filters/{id} keeps what it does not name, and an empty text takes it away", async () => {
    const base = rule({ pattern: "KEEP#(?P<id>[0-9]+)", url_template: "https://example.org/keep/{id}" });
    const more = { alternative_url_templates: ["https://old.example.org/{id}"] };
    const id = await add({ ...base, ...more, example_input: '"KEEP#7"', reverse_template: '"KEEP#{id}"' });
    const changed = { ...base, url_template: "https://example.org/kept/{id}" };
    expectSuccess(await adam.client.patch(`/realm/filters/${id}`, changed));
    const kept = { ...changed, ...more, example_input: "KEEP#7", reverse_template: "KEEP#{id}" };
    expect(await find(id)).toMatchObject(kept);
    expectSuccess(await adam.client.patch(`/realm/filters/${id}`, { ...changed, reverse_template: '""' }));
    expect(await find(id)).toMatchObject({ ...kept, reverse_template: null });
  });

  it("DELETE /realm/filters/{id} removes it, once", async () => {
    const id = await add();
    expectSuccess(await adam.client.delete(`/realm/filters/${id}`));
    expect(await find(id)).toBeUndefined();
    expectError(await adam.client.delete(`/realm/filters/${id}`), 400, "BAD_REQUEST");
    expectError(await adam.client.patch(`/realm/filters/${id}`, rule()), 400, "BAD_REQUEST");
    expectError(await adam.client.delete("/realm/filters/99999999999999999999"), 400, "BAD_REQUEST");
  });

  it("PATCH /realm/linkifiers orders all of them, each named once", async () => {
    await add();
    const ids = (await list()).map((one) => one.id).reverse();
    const order = (ordered_linkifier_ids: unknown) => adam.client.patch("/realm/linkifiers", { ordered_linkifier_ids });
    expectSuccess(await order(ids));
    expect((await list()).map((one) => one.id)).toEqual(ids);
    for (const wrong of [
      ids.slice(1),
      [...ids, ids[0]],
      [...ids.slice(1), ids[1]],
      [...ids.slice(1), 999_999],
      [],
      "x",
      [1.5],
    ])
      expectError(await order(wrong), 400, "BAD_REQUEST");
    expect((await list()).map((one) => one.id)).toEqual(ids);
  });

  it("only administrators may change them", async () => {
    const id = await add();
    for (const person of [mona, mia, gwen]) {
      expectError(await post(rule(), person), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await person.client.patch(`/realm/filters/${id}`, rule()), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await person.client.delete(`/realm/filters/${id}`), 400, "UNAUTHORIZED_PRINCIPAL");
      const order = { ordered_linkifier_ids: [id] };
      expectError(await person.client.patch("/realm/linkifiers", order), 400, "UNAUTHORIZED_PRINCIPAL");
    }
    for (const person of [owner, adam]) expectSuccess(await post(rule(), person));
  });

  it("GET /realm/filters is gone: 405", async () => {
    const answer = await adam.client.get("/realm/filters");
    expect(answer.status).toBe(405);
    expect(answer.body["allowed_methods"]).toEqual(["POST"]);
  });
});

describe("realm_linkifiers", () => {
  const observers = () => [owner.client, gwen.client];

  it("each change sends the whole list, only to clients that declared linkifier_url_template", async () => {
    let id = 0;
    const acts = [
      async () => void (id = await add()),
      async () => void expectSuccess(await adam.client.patch(`/realm/filters/${id}`, rule())),
      async () => {
        const ids = (await list()).map((one) => one.id).reverse();
        expectSuccess(await adam.client.patch("/realm/linkifiers", { ordered_linkifier_ids: ids }));
      },
      async () => void expectSuccess(await adam.client.delete(`/realm/filters/${id}`)),
    ];
    for (const act of acts) {
      const seen = await assertConverges({ observers: observers(), act });
      for (const person of [owner, gwen]) {
        expect(seen.eventsOf(person.client, MODERN)).toMatchObject([
          { type: "realm_linkifiers", realm_linkifiers: await list() },
        ]);
        for (const profile of [LEGACY, MOBILE]) expect(seen.eventsOf(person.client, profile)).toEqual([]);
      }
    }
  });

  it("a refused change sends nothing", async () => {
    const seen = await assertConverges({ observers: observers(), act: () => post(rule({ pattern: "(" })) });
    expect(seen.eventsOf(owner.client, MODERN)).toEqual([]);
  });
});

interface Linkifier {
  id: number;
  pattern: string;
}

let counter = 0;
/** A rule that no other test has. */
const rule = (change: Record<string, unknown> = {}) => {
  const word = `T${counter++}`;
  return { pattern: `${word}-(?P<id>[0-9]+)`, url_template: `https://example.org/${word}/{id}`, ...change };
};
const post = (params: Record<string, unknown>, person = adam) => person.client.post("/realm/filters", params);
const add = async (params: Record<string, unknown> = rule()) => expectSuccess(await post(params))["id"] as number;
const list = async (person = mia) =>
  expectSuccess(await person.client.get("/realm/linkifiers"))["linkifiers"] as Linkifier[];
const find = async (id: number) => (await list()).find((one) => one.id === id);
