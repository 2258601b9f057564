/** The API against what is public of it at level 497. */
import { describe, expect, it } from "vitest";
import * as public497 from "../../support/client/level-497.ts";
import { LEGACY, MOBILE, MODERN } from "../../support/convergence/client-profile.ts";
import { fieldsOfEvent, SHAPED_KINDS } from "../../support/convergence/event-shapes.ts";

const { alwaysNeeded, bare, endpoints, events, isLeftOut, namesWithin, notOurs, ours, parametersOf } = public497;

describe.each(endpoints.filter(({ name }) => notOurs[name] === undefined))(
  "$name",
  ({ name, params, answer, within }) => {
    it("is there, with its parameters and the fields of its answer", () => {
      const operation = ours.get(name);
      expect(operation, name).toBeDefined();
      const taken = parametersOf(operation!);
      const missing = params.map(bare).filter((param) => !taken.names.has(param));
      const required = [...params.filter((param) => param.endsWith("!")).map(bare), ...(alwaysNeeded[name] ?? [])];
      const fields = Object.keys(operation!.responses["200"]!.content?.["application/json"]?.schema.properties ?? {});
      expect({
        missing: missing.filter((param) => !isLeftOut(name, param)),
        requiredHereOnly: taken.required.filter((param) => !required.includes(param)),
        fields: answer.filter((field) => !fields.includes(field) && !isLeftOut(name, field)),
      }).toEqual({ missing: [], requiredHereOnly: [], fields: [] });
    });

    it.runIf(within.length > 0)("has these fields within", () => {
      const answered = ours.get(name)!.responses["200"]!.content!["application/json"]!.schema;
      for (const { field, names } of within) {
        const known = namesWithin(answered.properties![field]!);
        expect(
          names.filter((one) => !known.has(one) && !isLeftOut(name, `${field}.${one}`)),
          field,
        ).toEqual([]);
      }
    });
  },
);

describe.each(events.filter(({ kind }) => notOurs[kind] === undefined))("event $kind", ({ kind, fields }) => {
  it("has its fields", () => {
    expect(SHAPED_KINDS).toContain(kind);
    const known = new Set([LEGACY, MOBILE, MODERN].flatMap((profile) => fieldsOfEvent(kind, profile)));
    expect(fields.filter((field) => !known.has(field))).toEqual([]);
  });
});

it("what is left out is really left out", () => {
  const kinds = events.map(({ kind }) => kind);
  for (const name of Object.keys(notOurs)) {
    expect([...endpoints.map((endpoint) => endpoint.name), ...kinds]).toContain(name);
    expect(ours.has(name) || SHAPED_KINDS.includes(name), name).toBe(false);
  }
});
