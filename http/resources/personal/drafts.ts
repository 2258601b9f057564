/** Drafts of the caller. */

import { array, enums, integer, number, object, optional, size, string } from "superstruct";
import { draftId } from "../../../actors/id-shapes.ts";
import { readDrafts } from "../../../actors/personal/changes/drafts.ts";
import { draft as storedDraft } from "../../../actors/personal/shapes.ts";
import { described } from "../../../actors/shape.ts";
import type { DraftId } from "../../../storage/ids.ts";
import { defaultMaxBodyBytes, json, pathInt } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Drafts in one request. A client that was offline sends its drafts in a few. */
const maxDraftsAtOnce = 1000;
/** The largest number of people in a group conversation. */
const maxRecipients = 1000;

const draft = object({
  id: described(optional(draftId()), "Left out, or ignored."),
  type: described(enums(["", "stream", "private"]), "`stream`, `private`, or empty while that is open."),
  to: described(size(array(integer()), 0, maxRecipients), "A channel's id in a list, or ids of people."),
  topic: described(string(), "The topic of a channel."),
  content: described(string(), "The text, in Markdown."),
  timestamp: described(optional(number()), "When it was last edited, in UNIX seconds."),
});

/**
 * The caller's drafts, oldest edit first. When there are too many, those with the newest edits.
 * https://zulip.com/api/get-drafts
 */
export const getDrafts = route({
  doc: "https://zulip.com/api/get-drafts",
  summary: "Returns the caller's drafts.",
  auth: anyAccount,
  params: {},
  returns: { count: described(integer(), "How many there are."), drafts: array(storedDraft) },
  async handle({ realm, user }) {
    const drafts = (await readDrafts(realm, user)).reverse();
    return { count: drafts.length, drafts };
  },
});

/** Adds drafts. https://zulip.com/api/create-drafts */
export const createDrafts = route({
  doc: "https://zulip.com/api/create-drafts",
  summary: "Adds drafts: all of them, or none when one is refused.",
  auth: anyAccount,
  params: {
    drafts: json(size(array(draft), 0, maxDraftsAtOnce))
      .atMost(defaultMaxBodyBytes)
      .default([]),
  },
  returns: { ids: described(array(draftId()), "Ids of the new drafts, in the order of the request.") },
  handle({ realm, user, params }) {
    return realm.execute("addDrafts", { userId: user.id, drafts: params.drafts });
  },
});

/** Replaces a draft. https://zulip.com/api/edit-draft */
export const editDraft = route({
  doc: "https://zulip.com/api/edit-draft",
  summary: "Replaces one of the caller's drafts.",
  auth: anyAccount,
  params: { draft_id: pathInt<DraftId>(), draft: json(draft).describe("The draft that takes its place.") },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("updateDraft", { userId: user.id, id: params.draft_id, draft: params.draft });
  },
});

/** Deletes a draft. https://zulip.com/api/delete-draft */
export const deleteDraft = route({
  doc: "https://zulip.com/api/delete-draft",
  summary: "Deletes one of the caller's drafts.",
  auth: anyAccount,
  params: { draft_id: pathInt<DraftId>() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removeDraft", { userId: user.id, id: params.draft_id });
  },
});
