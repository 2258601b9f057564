/** The API against what is public of it at level 497. */
import { describe, expect, it } from "vitest";
import { idleReasons, reasonFor } from "../../support/client/beyond-497.ts";
import * as public497 from "../../support/client/level-497.ts";
import { eventMisfits, publicAnswers, type Schema, schemaMisfits } from "../../support/client/public-types.ts";
import { LEGACY, MOBILE, MODERN } from "../../support/convergence/client-profile.ts";
import { fieldsOfEvent, SHAPED_KINDS } from "../../support/convergence/event-shapes.ts";
import { SAMPLE_KINDS, sampleEvent } from "../../support/convergence/sample-events.ts";

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
    expect(fields.filter((field) => !known.has(field) && !isLeftOut(kind, field))).toEqual([]);
  });
});

it("what is left out is really left out", () => {
  const kinds = events.map(({ kind }) => kind);
  for (const name of Object.keys(notOurs)) {
    expect([...endpoints.map((endpoint) => endpoint.name), ...kinds]).toContain(name);
    expect(ours.has(name) || SHAPED_KINDS.includes(name), name).toBe(false);
  }
});

describe("types", () => {
  const answers = [...publicAnswers].flatMap(([name, fields]) => {
    const operation = ours.get(name.replace(/\{\w+\}/g, "{}"))!;
    const { properties } = operation.responses["200"]!.content!["application/json"]!.schema;
    const own = Object.entries(properties!).filter(([field]) => !everyAnswer.includes(field));
    return own.flatMap(([field, schema]) => {
      const type = fields.get(field);
      return type ? schemaMisfits(type, schema as Schema, `${name} ${field}`) : [`${name} ${field}: not public`];
    });
  });
  const samples = SAMPLE_KINDS.flatMap((kind) => eventMisfits(kind, sampleEvent(kind)));
  const unexplained = (lines: readonly string[]) => lines.filter((line) => reasonFor(line) === undefined);

  it("of answers are the public ones, and what is beyond them has its reason", () => {
    expect(unexplained(answers)).toEqual([]);
  });

  it("of events are the public ones, and what is beyond them has its reason", () => {
    expect(unexplained(samples)).toEqual([]);
  });

  it("of every answer and event are known", () => {
    const untyped = endpoints.filter(({ name, answer }) => notOurs[name] === undefined && answer.length > 0);
    const known = new Set([...publicAnswers.keys()].map((name) => name.replace(/\{\w+\}/g, "{}")));
    expect(untyped.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
    expect(idleReasons([...answers, ...samples])).toEqual([]);
  });
});

const everyAnswer: readonly string[] = ["result", "msg", "ignored_parameters_unsupported"];
