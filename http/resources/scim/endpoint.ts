/**
 * What the endpoints for directories have in common. A directory comes by a token of the organization (`Authorization:
 * Bearer`), and acts in the name of an owner. Source: RFC 7644.
 */
import { maxFilterLength, parseFilter, plainPath } from "../../../actors/scim/filter.ts";
import type { Page, Paging } from "../../../actors/scim/paging.ts";
import { refusal } from "../../../actors/scim/refusals.ts";
import { accessScimToken, actorOf } from "../../../actors/scim/tokens.ts";
import { namesVersion } from "../../../actors/scim/user-document.ts";
import { messageOf } from "../../../storage/failures.ts";
import type { UserId } from "../../../storage/ids.ts";
import { traced } from "../../api/answering.ts";
import { defaultMaxBodyBytes, int, type ParamsSpec, parseJson, text } from "../../api/params.ts";
import { admit } from "../../api/pipeline.ts";
import { scimHeaders } from "../../api/refusals.ts";
import { RawReply, type Reply } from "../../api/reply.ts";
import { type ApiRequest, type RealmRoute, route } from "../../api/route.ts";
import type { Exchange } from "../../server/exchange.ts";

/** A request by a directory. */
type ScimRequest<P extends ParamsSpec> = ApiRequest<P, undefined> & {
  /** The owner in whose name it acts. */
  actorId: UserId;
};

interface ScimRoute<P extends ParamsSpec> {
  summary: string;
  params: P;
  handle(request: ScimRequest<P>): Promise<Reply> | Reply;
}

/** Declares an endpoint for directories. */
export function scimRoute<P extends ParamsSpec>({ summary, params, handle }: ScimRoute<P>): RealmRoute {
  return route({
    doc: "https://www.rfc-editor.org/rfc/rfc7644",
    summary,
    auth: ["anybody"],
    rateLimit: "none",
    wantsHeaders: ["if-match", "if-none-match"],
    bodyParam: "body",
    params,
    async handle(request) {
      const { app, realm, exchange } = request;
      // No page of another site reads the answer, whatever it is.
      exchange.isForOtherSites = false;
      const token = await app.attempts.byKey({ exchange, realmId: realm.id, account: "" }, () =>
        accessScimToken(realm, /^Bearer\s+(\S+)$/i.exec(exchange.authorization)?.[1] ?? ""),
      );
      if (app.config.hasRateLimits)
        admit(exchange, await app.rateLimiters.of(realm).takeShared("api_by_scim_token", token.id));
      const asked = traced(request as never, { via: "scim", sessionId: token.id });
      return handle({ ...asked, user: undefined, actorId: actorOf(realm.state, token) } as ScimRequest<P>);
    },
  });
}

/** Of an endpoint that takes a body. */
export const bodyParams = { body: text().atMost(defaultMaxBodyBytes).optional() };

/** Of an endpoint that answers resources. */
export const shownParams = {
  attributes: text().optional(),
  excludedAttributes: text().optional(),
};

/** Of an endpoint that lists resources. */
export const listParams = {
  ...shownParams,
  filter: text({ maxLength: maxFilterLength }).optional(),
  startIndex: int().default(1),
  count: int().default(100),
};

/** The most resources of one answer. */
export const maxCount = 200;

/** The version that a change is for; empty: any. */
export const ifMatchOf = ({ wanted }: Pick<Exchange, "wanted">): string => wanted?.get("if-match") ?? "";

/** The JSON of a body. @throws a 400 with `invalidSyntax` */
export function bodyOf({ body }: { body: string | undefined }): unknown {
  try {
    return parseJson(body ?? "", "body");
  } catch (error) {
    throw refusal("invalidSyntax", messageOf(error));
  }
}

/** What is to be listed. Numbers that make no sense count as the nearest that do. @throws a 400 with `invalidFilter` */
export function listed({ filter, startIndex, count }: { filter: string | undefined } & Paging) {
  return {
    filter: filter === undefined || filter.trim() === "" ? undefined : parseFilter(filter),
    paging: { startIndex: Math.max(1, startIndex), count: Math.min(maxCount, Math.max(0, count)) },
  };
}

/** Which attributes are asked for. */
export type Shown = Record<"attributes" | "excludedAttributes", string | undefined>;
type Resource = Record<string, unknown>;

/** What every resource has, whatever is asked for. */
const always: ReadonlySet<string> = new Set(["schemas", "id"]);

/** The names of a list of attributes, as they are compared. Undefined: there is no list. */
export const namesIn = (list: string | undefined): ReadonlySet<string> | undefined =>
  list === undefined ? undefined : new Set(list.split(",").map((name) => plainPath(name.trim())));

/** A resource with the attributes that are asked for. */
export function shown(resource: Resource, { attributes, excludedAttributes }: Shown): Resource {
  const [wanted, unwanted] = [namesIn(attributes), namesIn(excludedAttributes)];
  if (!wanted && !unwanted) return resource;
  const isShown = (path: string): boolean => (wanted ? wanted.has(path) : !unwanted?.has(path));
  const fields = Object.entries(resource).flatMap(([name, value]): [string, unknown][] => {
    const path = name.toLowerCase();
    if (always.has(path) || (wanted?.has(path) ?? false)) return [[name, value]];
    if (!wanted && !isShown(path)) return [];
    const part = partly(value, (sub) => isShown(`${path}.${sub.toLowerCase()}`));
    return part === undefined ? (wanted ? [] : [[name, value]]) : [[name, part]];
  });
  return Object.fromEntries(fields);
}

/** The parts of an object, or of the objects of a list, that are asked for. Undefined: none, or there are no parts. */
function partly(value: unknown, isShown: (name: string) => boolean): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => partly(item, isShown)).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const kept = Object.entries(value).filter(([name]) => isShown(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Answers a resource, with its version and address in headers. */
export function resourceReply(status: number, resource: Resource, request: { params: Shown }): Reply {
  return new RawReply(status, [...scimHeaders, ...named(resource)], JSON.stringify(shown(resource, request.params)));
}

/** Answers that a resource is changed, without what it is. */
export const changedReply = (resource: Resource): Reply => new RawReply(204, named(resource), "");

function named(resource: Resource): [string, string][] {
  const { location, version } = resource["meta"] as Record<"location" | "version", string>;
  return [
    ["ETag", version],
    ["Location", location],
  ];
}

/** Answers a resource that is asked for, unless the directory has this version of it. */
export function readReply(resource: Resource, request: Pick<ApiRequest, "exchange"> & { params: Shown }): Reply {
  const { version } = resource["meta"] as { version: string };
  const ifNoneMatch = request.exchange.wanted?.get("if-none-match");
  if (ifNoneMatch !== undefined && namesVersion(ifNoneMatch, version))
    return new RawReply(304, [...scimHeaders, ["ETag", version]], "");
  return resourceReply(200, resource, request);
}

export const noContent = (): Reply => new RawReply(204, [], "");

export const jsonReply = (status: number, body: unknown): Reply =>
  new RawReply(status, scimHeaders, JSON.stringify(body));

/** A page of a list. */
export function listReply({ total, items }: Page<Resource>, startIndex: number): Reply {
  return jsonReply(200, {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex,
    itemsPerPage: items.length,
    Resources: items,
  });
}
