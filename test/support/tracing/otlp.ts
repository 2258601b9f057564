/** A collector of traces: what it was sent, each field checked against OTLP's JSON form. */
import { expect } from "vitest";
import type { ServiceRequest, WebService } from "../server/web-service.ts";

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  flags: number;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number; message?: string };
  /** `service.instance.id` of the process that it is of. */
  instance: string;
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: CollectedSpan["attributes"] };
    scopeSpans: { scope: { name: string; version: string }; spans: Omit<CollectedSpan, "instance">[] }[];
  }[];
}

/** Fields by their names in opentelemetry/proto, in lower camel case, and what JSON has of them. */
const fields = {
  request: { resourceSpans: /^\[/ },
  resourceSpans: { resource: /^\{/, scopeSpans: /^\[/ },
  scopeSpans: { scope: /^\{"name":"parley","version":"[^"]+"\}$/, spans: /^\[/ },
  span: {
    traceId: /^"(?!0{32})[0-9a-f]{32}"$/,
    spanId: /^"(?!0{16})[0-9a-f]{16}"$/,
    parentSpanId: /^"(?!0{16})[0-9a-f]{16}"$/,
    flags: /^1$/,
    name: /^".+"$/,
    kind: /^[1-5]$/,
    startTimeUnixNano: /^"\d{19}"$/,
    endTimeUnixNano: /^"\d{19}"$/,
    attributes: /^\[/,
    status: /^\{(?:"code":2,"message":"[^"]+")?\}$/,
  },
  attribute: {
    key: /^"[a-z][a-z0-9_.]*"$/,
    value: /^\{(?:"stringValue":"[^"]*"|"intValue":"-?\d+"|"doubleValue":[\d.e+-]+|"boolValue":(?:true|false))\}$/,
  },
};

/** What is wrong with the fields of a value. */
function faultsOf(kind: keyof typeof fields, value: object): string[] {
  const known = new Map<string, RegExp>(Object.entries(fields[kind]));
  const wrong = Object.entries(value).flatMap(([name, field]) => {
    const text = JSON.stringify(field);
    return known.get(name)?.test(text) ? [] : `${kind} ${name}: ${text}`;
  });
  const names = new Set(Object.keys(value)).add("parentSpanId");
  return wrong.concat([...known.keys()].filter((name) => !names.has(name)).map((name) => `${kind} has no ${name}`));
}

function spansIn({ method, path, headers, body }: ServiceRequest): CollectedSpan[] {
  expect([method, path, headers["content-type"]]).toEqual(["POST", "/v1/traces", "application/json"]);
  const request = JSON.parse(body) as ExportRequest;
  const faults = faultsOf("request", request);
  const spans = request.resourceSpans.flatMap((ofResource) => {
    faults.push(...faultsOf("resourceSpans", ofResource));
    const { attributes } = ofResource.resource;
    for (const attribute of attributes) faults.push(...faultsOf("attribute", attribute));
    const textOf = (key: string) => attributes.find((each) => each.key === key)?.value["stringValue"];
    expect(textOf("service.name")).toBe("parley");
    return ofResource.scopeSpans.flatMap((ofScope) => {
      faults.push(...faultsOf("scopeSpans", ofScope));
      return ofScope.spans.map((span) => {
        faults.push(...faultsOf("span", span));
        for (const attribute of span.attributes) faults.push(...faultsOf("attribute", attribute));
        if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano)) faults.push("ends before it begins");
        return { ...span, instance: textOf("service.instance.id") as string };
      });
    });
  });
  expect(faults).toEqual([]);
  return spans;
}

/** All spans that a collector was sent. */
export const collected = ({ requests }: WebService): CollectedSpan[] => requests.flatMap(spansIn);
