/** The OpenAPI document. */
import { RawReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";

/** The API as an OpenAPI document. */
export const getOpenApi = route({
  doc: "https://spec.openapis.org/oas/v3.1.0",
  summary: "This API as an OpenAPI document.",
  auth: ["anybody"],
  params: {},
  handle({ app, realm }) {
    // Where nobody has said what the server's address is, it is the one that the document was read at.
    const url = app.config.isUrlChosen || realm.state.row.host !== null ? realm.state.url : "/";
    return app.keptAnswers.get(`openapi ${realm.id}`, url, 300, () => {
      return new RawReply(200, [["Content-Type", "application/json"]], app.description.document(url));
    });
  },
});

export const getApiPage = route({
  doc: "README.md",
  summary: "This API for people.",
  auth: ["anybody"],
  params: {},
  handle({ app, realm }) {
    const { url } = realm.state;
    const realmName = realm.state.row.name;
    const madeFrom = JSON.stringify([url, realmName]);
    return app.keptAnswers.getSoon(`api page ${realm.id}`, madeFrom, 0, () => app.description.page({ realmName, url }));
  },
});
