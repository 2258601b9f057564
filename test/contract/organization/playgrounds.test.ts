import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [adam, mona, mia, gwen] = server.people(["Adam Admin", 200], ["Mona Moderator", 300], "Mia Member", [
  "Gwen Guest",
  600,
]);

describe("POST /realm/playgrounds", () => {
  it("answers an id, and everybody's register answer has the playground as it was given", async () => {
    const given = playground({ pygments_language: "C++", url_template: "https://c.example.org/?q={code}" });
    const { id } = expectSuccess(await post(given));
    for (const person of [mia, gwen]) expect(await list(person)).toContainEqual({ id, ...given });
  });

  it("each parameter is required and not blank", async () => {
    for (const name of ["name", "pygments_language", "url_template"]) {
      const missing = expectError(await post(playground({ [name]: undefined })), 400, "REQUEST_VARIABLE_MISSING");
      expect(missing["var_name"]).toBe(name);
      expectError(await post(playground({ [name]: " " })), 400, "BAD_REQUEST");
    }
  });

  it("the template has exactly one variable, named code", async () => {
    for (const url_template of [
      "https://play.example.org/",
      "https://play.example.org/{other}",
      "https://play.example.org/{code}/{other}",
      "https://play.example.org/{code,other}",
    ])
      expectError(await post(playground({ url_template })), 400, "BAD_REQUEST");
    expectSuccess(await post(playground({ url_template: "https://play.example.org/{?code}" })));
  });

  it("the template is RFC 6570 and runs no script", async () => {
    for (const url_template of [
      "https://p.org/{code",
      "https://p.org/{=code}",
      "javascript:{code}",
      "{+code}",
      "{code}<script>",
    ])
      expectError(await post(playground({ url_template })), 400, "BAD_REQUEST");
  });

  it("a name that the language has already is refused", async () => {
    const given = playground();
    expectSuccess(await post(given));
    expectError(await post({ ...given, url_template: "https://other.example.org/{code}" }), 400, "BAD_REQUEST");
    expectSuccess(await post({ ...given, pygments_language: "Rust" }));
  });

  it("long names, odd languages and null bytes are refused", async () => {
    for (const change of [
      { name: "x".repeat(501) },
      { pygments_language: "x".repeat(41) },
      { pygments_language: "<script>" },
      { name: "a\0" },
    ])
      expectError(await post(playground(change)), 400, "BAD_REQUEST");
  });

  it("only administrators may add and remove", async () => {
    const { id } = expectSuccess(await post(playground(), owner));
    for (const person of [mona, mia, gwen]) {
      expectError(await post(playground(), person), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await person.client.delete(`/realm/playgrounds/${id}`), 400, "UNAUTHORIZED_PRINCIPAL");
    }
    expectSuccess(await adam.client.delete(`/realm/playgrounds/${id}`));
    expectError(await adam.client.delete(`/realm/playgrounds/${id}`), 400, "BAD_REQUEST");
  });
});

describe("realm_playgrounds", () => {
  it("adding and removing send the whole list to everybody", async () => {
    let id = 0;
    const observers = [owner.client, gwen.client];
    const added = await assertConverges({
      observers,
      act: async () => void (id = expectSuccess(await post(playground()))["id"] as number),
    });
    for (const { events } of added.observations)
      expect(events).toMatchObject([{ type: "realm_playgrounds", realm_playgrounds: await list() }]);
    const removed = await assertConverges({ observers, act: () => adam.client.delete(`/realm/playgrounds/${id}`) });
    for (const { events } of removed.observations)
      expect(events).toMatchObject([{ type: "realm_playgrounds", realm_playgrounds: await list() }]);
  });
});

let counter = 0;
const playground = (change: Record<string, unknown> = {}) => ({
  name: `Play ${counter++}`,
  pygments_language: "Python",
  url_template: "https://play.example.org/{code}",
  ...change,
});
const post = (params: Record<string, unknown>, person = adam) => person.client.post("/realm/playgrounds", params);
const list = async (person = mia) => {
  const state = await person.client.register({ fetch_event_types: ["realm_playgrounds"], event_types: [] });
  return state["realm_playgrounds"] as Record<string, unknown>[];
};
