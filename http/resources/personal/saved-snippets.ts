/** Saved snippets of the caller. */

import { array } from "superstruct";
import { snippetId } from "../../../actors/id-shapes.ts";
import { readSavedSnippets } from "../../../actors/personal/changes/saved-snippets.ts";
import { savedSnippet } from "../../../actors/personal/shapes.ts";
import type { SnippetId } from "../../../storage/ids.ts";
import { pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** The caller's snippets. https://zulip.com/api/get-saved-snippets */
export const getSavedSnippets = route({
  doc: "https://zulip.com/api/get-saved-snippets",
  summary: "Returns the caller's saved snippets.",
  auth: anyAccount,
  params: {},
  returns: { saved_snippets: array(savedSnippet) },
  async handle({ realm, user }) {
    return { saved_snippets: await readSavedSnippets(realm, user) };
  },
});

/** Adds a snippet. https://zulip.com/api/create-saved-snippet */
export const createSavedSnippet = route({
  doc: "https://zulip.com/api/create-saved-snippet",
  summary: "Adds a saved snippet.",
  auth: anyAccount,
  params: { title: text().describe("Its title."), content: text().describe("The text, in Markdown.") },
  returns: { saved_snippet_id: snippetId() },
  handle({ realm, user, params }) {
    return realm.execute("addSavedSnippet", { userId: user.id, title: params.title, content: params.content });
  },
});

/** Changes a snippet. https://zulip.com/api/edit-saved-snippet */
export const editSavedSnippet = route({
  doc: "https://zulip.com/api/edit-saved-snippet",
  summary: "Changes the title or content of a saved snippet.",
  auth: anyAccount,
  params: {
    saved_snippet_id: pathInt<SnippetId>(),
    title: text().optional().describe("Its title."),
    content: text().optional().describe("The text, in Markdown."),
  },
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
  doc: "https://zulip.com/api/delete-saved-snippet",
  summary: "Deletes a saved snippet.",
  auth: anyAccount,
  params: { saved_snippet_id: pathInt<SnippetId>() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removeSavedSnippet", { userId: user.id, id: params.saved_snippet_id });
  },
});
