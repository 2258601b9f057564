/** The API's own description. */
import { openApiDocument } from "../../api/openapi.ts";
import { RawReply, route } from "../../api/route.ts";
import { apiPage } from "../../pages/api-page.ts";

/** The API for programs. */
export const getOpenApi = route({
  method: "GET",
  path: "/openapi.json",
  doc: "https://spec.openapis.org/oas/v3.1.0",
  summary: "This API as an OpenAPI document.",
  auth: ["anybody"],
  params: {},
  handle({ app, realm }) {
    const headers = [
      ["Content-Type", "application/json"],
      ["Cache-Control", "public, max-age=300"],
    ] as const;
    return new RawReply(200, headers, JSON.stringify(openApiDocument(app.router.routes, realm.state.url)));
  },
});

const showApiPage = (path: string) =>
  route({
    method: "GET",
    path,
    doc: "README.md",
    summary: "This API for people.",
    auth: ["anybody"],
    params: {},
    handle: ({ app, realm }) => apiPage(app.router.routes, realm.state.row.name),
  });
export const getApiPage = showApiPage("^/api/");
export const getApiPageWithoutSlash = showApiPage("^/api");
