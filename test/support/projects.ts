/** Projects of `vitest.config.ts` that a test file names when it runs in them as well. */
export type Project = "two nodes" | "native build" | "streams";

/** Names the projects of a file that has no `testServer`. The configuration reads them from the text. */
export function runFile(_projects: { readonly alsoOn: readonly Project[] }): void {}
