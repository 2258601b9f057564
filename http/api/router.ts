/** Finds the route of a path: a tree of path parts, in which a fixed part wins over `:name`, and that over `:name*`. */
import { decodePercent } from "../../actors/percent-encoding.ts";
import type { Headers } from "../server/header-block.ts";
import type { Endpoint } from "./route.ts";
import { mayCompress } from "./secrets.ts";

interface Node {
  fixed: Map<string, Node>;
  parameter: Node | undefined;
  rest: Node | undefined;
  /** Parameters have their own names in each route, by position. */
  routes: Map<string, { route: Endpoint; names: string[]; mayCompress: boolean }>;
}

const node = (): Node => ({ fixed: new Map(), parameter: undefined, rest: undefined, routes: new Map() });

export interface Match {
  route: Endpoint;
  /** Whether its answer may be compressed. */
  mayCompress: boolean;
  path: Map<string, string>;
}

/** A path that has other methods than the one that was asked for. */
export interface WrongMethod {
  allowed: string[];
  /** Headers of their requests that only they read. */
  wants: string[];
  /** Headers of the answer to OPTIONS. */
  options: Headers;
}

export class Router {
  readonly #root = node();
  /** Paths without parameters, which win over all others. */
  readonly #exact = new Map<string, Node>();

  /** @param prefixes under which unrooted routes are found */
  constructor(
    readonly routes: readonly Endpoint[],
    prefixes: readonly string[],
  ) {
    for (const route of routes) {
      for (const path of route.path.startsWith("^")
        ? [route.path.slice(1)]
        : prefixes.map((prefix) => prefix + route.path))
        this.#add(path, route);
    }
  }

  /** A match; or the methods that the path does have; or undefined when there is no such path. */
  find(method: string, path: string): Match | WrongMethod | undefined {
    const values: string[] = [];
    const found = this.#exact.get(path) ?? this.#walk(this.#root, path.split("/").slice(1), 0, values);
    if (!found) return undefined;
    const match = found.routes.get(method === "HEAD" ? "GET" : method);
    if (!match) {
      const routes = [...found.routes.values()].map(({ route }) => route);
      return {
        allowed: [...found.routes.keys()].sort(),
        wants: [...new Set(routes.flatMap(({ wantsHeaders }) => [...(wantsHeaders ?? [])]))],
        options: routes.flatMap(({ options }) => options ?? []),
      };
    }
    const { route, names, mayCompress } = match;
    return { route, mayCompress, path: new Map(names.map((name, index) => [name, values[index]!])) };
  }

  #add(path: string, route: Endpoint): void {
    let at = this.#root;
    const names: string[] = [];
    for (const part of path.split("/").slice(1)) {
      if (part.startsWith(":")) {
        const isRest = part.endsWith("*");
        names.push(part.slice(1, isRest ? -1 : undefined));
        if (isRest) at = at.rest ??= node();
        else at = at.parameter ??= node();
      } else {
        let next = at.fixed.get(part);
        if (!next) at.fixed.set(part, (next = node()));
        at = next;
      }
    }
    if (at.routes.has(route.method)) throw new Error(`two routes for ${route.method} ${path}`);
    at.routes.set(route.method, { route, names, mayCompress: mayCompress(route.returns) });
    if (names.length === 0) this.#exact.set(path, at);
  }

  #walk(at: Node, parts: readonly string[], index: number, values: string[]): Node | undefined {
    if (index === parts.length) return at.routes.size > 0 ? at : undefined;
    const part = parts[index]!;
    const fixed = at.fixed.get(part);
    const found = fixed && this.#walk(fixed, parts, index + 1, values);
    if (found) return found;
    if (at.parameter && part !== "") {
      const value = decodePercent(part);
      if (value !== undefined) {
        values.push(value);
        const inner = this.#walk(at.parameter, parts, index + 1, values);
        if (inner) return inner;
        values.pop();
      }
    }
    if (!at.rest) return undefined;
    const value = decodePercent(parts.slice(index).join("/"));
    if (value === undefined) return undefined;
    values.push(value);
    return at.rest;
  }
}
