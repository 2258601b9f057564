/** A directory that provisions accounts by SCIM, as tests play it. */
import { expect } from "vitest";
import type { Person } from "../people/person.ts";
import type { TestServer } from "../server/server.ts";
import { expectSuccess, type JsonObject } from "./api.ts";

export interface ScimAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** `{}` where there is none. */
  readonly body: JsonObject;
}

/** What the tests look at of a resource. */
export interface ScimResource extends JsonObject {
  id: string;
  meta: { location: string; version: string };
}

const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export class Directory {
  #requests = 0;

  constructor(
    private readonly server: TestServer,
    readonly token: string,
  ) {}

  /** Asks each node in turn. A body that is no text is sent as JSON. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ScimAnswer> {
    const { urls } = this.server;
    const response = await fetch(`${urls[this.#requests++ % urls.length]}/scim/v2${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/scim+json", ...headers },
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
  }

  /** The resource that a request answers, which must succeed. */
  async resource(method: string, path: string, body?: unknown): Promise<ScimResource> {
    const answer = await this.ask(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body as ScimResource;
  }

  createUser(userName: string, more: JsonObject = {}): Promise<ScimResource> {
    return this.resource("POST", "/Users", { userName, displayName: userName.replace(/@.*/, " Person"), ...more });
  }

  patch(path: string, ...operations: JsonObject[]): Promise<ScimAnswer> {
    return this.ask("PATCH", path, { schemas: [patchSchema], Operations: operations });
  }

  /** Ids of what a filter finds, and how many there are in all. */
  async find(kind: "Users" | "Groups", filter: string): Promise<{ ids: string[]; total: number }> {
    const answer = await this.ask("GET", `/${kind}?filter=${encodeURIComponent(filter)}`);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const { Resources, totalResults } = answer.body as { Resources: ScimResource[]; totalResults: number };
    return { ids: Resources.map(({ id }) => id), total: totalResults };
  }
}

/** Expects a refusal in SCIM's form. Returns what it says. */
export function expectRefusal({ status, headers, body }: ScimAnswer, expected: number, scimType?: string): string {
  expect({ status, scimType: body["scimType"] }, JSON.stringify(body)).toEqual({ status: expected, scimType });
  expect(headers.get("content-type")).toBe("application/scim+json");
  expect(body).toMatchObject({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(expected),
    detail: expect.stringMatching(/\w/),
  });
  return body["detail"] as string;
}

/** A directory with a token of its own, which an owner makes. */
export async function directoryOf(server: TestServer, owner: Person = server.owner): Promise<Directory> {
  const password = server.owner.email === owner.email ? ownerPassword : "a fine password";
  const made = await owner.client.post("/realm/scim_tokens", { name: "Directory", password });
  return new Directory(server, expectSuccess(made)["token"] as string);
}

/** Of the first organization's owner. */
export const ownerPassword = "correct horse";
