/** Saved snippets of the caller. */
import { readSavedSnippets } from "../../../actors/personal/saved-snippets.ts";
import { pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

const snippetSchema = {
  type: "object",
  required: ["id", "title", "content", "date_created"],
  properties: {
    id: { type: "integer" },
    title: { type: "string" },
    content: { type: "string" },
    date_created: { type: "integer" },
  },
  additionalProperties: false,
} as const;

/** The caller's snippets. https://zulip.com/api/get-saved-snippets */
export const getSavedSnippets = route({
  method: "GET",
  path: "/saved_snippets",
  doc: "https://zulip.com/api/get-saved-snippets",
  summary: "Returns the caller's saved snippets.",
  auth: anyAccount,
  params: {},
  returns: { saved_snippets: { type: "array", items: snippetSchema } },
  async handle({ realm, user }) {
    return { saved_snippets: await readSavedSnippets(realm, user) };
  },
});

/** Adds a snippet. https://zulip.com/api/create-saved-snippet */
export const createSavedSnippet = route({
  method: "POST",
  path: "/saved_snippets",
  doc: "https://zulip.com/api/create-saved-snippet",
  summary: "Adds a saved snippet.",
  auth: anyAccount,
  params: { title: text(), content: text() },
  returns: { saved_snippet_id: { type: "integer" } },
  handle({ realm, user, params }) {
    return realm.execute("addSavedSnippet", { userId: user.id, title: params.title, content: params.content });
  },
});

/** Changes a snippet. https://zulip.com/api/edit-saved-snippet */
export const editSavedSnippet = route({
  method: "PATCH",
  path: "/saved_snippets/:saved_snippet_id",
  doc: "https://zulip.com/api/edit-saved-snippet",
  summary: "Changes the title or content of a saved snippet.",
  auth: anyAccount,
  params: { saved_snippet_id: pathInt(), title: text().optional(), content: text().optional() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("updateSavedSnippet", {
      userId: user.id,
      id: params.saved_snippet_id,
      title: params.title,
      content: params.content,
    });
  },
});

/** Deletes a snippet. https://zulip.com/api/delete-saved-snippet */
export const deleteSavedSnippet = route({
  method: "DELETE",
  path: "/saved_snippets/:saved_snippet_id",
  doc: "https://zulip.com/api/delete-saved-snippet",
  summary: "Deletes a saved snippet.",
  auth: anyAccount,
  params: { saved_snippet_id: pathInt() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removeSavedSnippet", { userId: user.id, id: params.saved_snippet_id });
  },
});
