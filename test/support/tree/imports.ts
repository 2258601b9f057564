/**
 * What the sources import, on first use too, by file and by room. A room is a folder; a file at the top of `actors/` is
 * one too.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../../..");
export const layers = ["storage", "actors", "http"] as const;

export interface Import {
  file: string;
  target: string;
  isTypeOnly: boolean;
}

export function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts"))
    .map((name) => join(folder, name));
}

export const imports: readonly Import[] = layers.flatMap(sources).flatMap((file) => {
  const text = readFileSync(join(root, file), "utf8");
  // Whoever adds to the types of another file stands above it, as if it were imported.
  const pattern =
    /^(?:import|export)\s+(type\s+)?[^;]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|^(declare) module\s+"([^"]+)"|\bimport\(\s*"([^"]+)",?\s*\)/gm;
  return [...text.matchAll(pattern)].map(([, type, from, bare, declares, module, late]) => ({
    file,
    target: (from ?? bare ?? module ?? late)!,
    isTypeOnly: (type ?? declares) !== undefined,
  }));
});

export const isLocal = ({ target }: Import): boolean => target.startsWith(".");
export const resolved = ({ file, target }: Import): string => relative(root, resolve(root, dirname(file), target));

/** What imports what. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

export function graphOf(edges: readonly (readonly [from: string, to: string])[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) {
    if (!graph.has(to)) graph.set(to, new Set());
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  }
  return graph;
}

/** Imports of files, types counted. */
export const fileGraph = (): Graph =>
  graphOf(imports.filter(isLocal).map((entry) => [entry.file, resolved(entry)] as const));

export const roomOf = (file: string): string => (dirname(file) === "actors" ? file : dirname(file));

/** Imports of one room of `actors/` from another, types counted. */
export const roomImports = (): { from: string; to: string; line: string }[] =>
  imports
    .filter((entry) => isLocal(entry) && entry.file.startsWith("actors/") && resolved(entry).startsWith("actors/"))
    .map((entry) => ({
      from: roomOf(entry.file),
      to: roomOf(resolved(entry)),
      line: `${entry.file} imports ${resolved(entry)}`,
    }))
    .filter(({ from, to }) => from !== to);

/** Groups that import each other in a circle (Tarjan's algorithm). */
export function circles(graph: Graph): string[][] {
  const seen = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (name: string) => {
    const node = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(name, node);
    open.push(name);
    for (const target of graph.get(name) ?? []) {
      const next = seen.get(target) ?? visit(target);
      if (next.isOpen) node.low = Math.min(node.low, next.low);
    }
    if (node.low === node.index) {
      const group = open.splice(open.lastIndexOf(name));
      for (const member of group) seen.get(member)!.isOpen = false;
      if (group.length > 1) found.push(group.sort());
    }
    return node;
  };
  for (const name of graph.keys()) if (!seen.has(name)) visit(name);
  return found.sort();
}

/** Pairs that import each other. */
export const mutualPairs = (graph: Graph): string[] =>
  [...graph]
    .flatMap(([from, targets]) =>
      [...targets].filter((to) => from < to && graph.get(to)?.has(from)).map((to) => `${from} ⇄ ${to}`),
    )
    .sort();
