/** The pages of `docs/`, as every server shows them. */
import { ApiError } from "../../../actors/errors.ts";
import type { App } from "../../api/app.ts";
import { pathText } from "../../api/params.ts";
import { route } from "../../api/route.ts";
import { docsPage, docsPages } from "../../pages/docs-page.ts";

const keptSecs = 300;

function shown({ keptAnswers }: App, name: string) {
  const body = docsPages.get(name);
  if (body === undefined) throw new ApiError(404, "BAD_REQUEST", "There is no such page: see /docs/.");
  return keptAnswers.get(`docs ${name}`, "", keptSecs, () => docsPage(name, body));
}

export const getDocsIndex = route({
  doc: "README.md",
  summary: "The list of the pages about running this server and building on it.",
  auth: ["anybody"],
  params: {},
  handle: ({ app }) => shown(app, "index"),
});

export const getDocsPage = route({
  doc: "README.md",
  summary: "A page about running this server, or building on it.",
  auth: ["anybody"],
  params: { page: pathText().describe("The name of the page.") },
  handle: ({ app, params }) => shown(app, params.page),
});
