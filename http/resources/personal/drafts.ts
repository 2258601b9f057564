/** Drafts of the caller. */

import { array, enums, integer, number, object, optional, size, string } from "superstruct";
import { draftId } from "../../../actors/id-shapes.ts";
import { readDrafts } from "../../../actors/personal/changes/drafts.ts";
import { draft as storedDraft } from "../../../actors/personal/shapes.ts";
import type { DraftId } from "../../../storage/ids.ts";
import { defaultMaxBodyBytes, json, pathInt } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Drafts in one request. A client that was offline sends its drafts in a few. */
const maxDraftsAtOnce = 1000;
/** The largest number of people in a group conversation. */
const maxRecipients = 1000;

const draft = object({
  id: optional(draftId()),
  type: enums(["", "stream", "private"]),
  to: size(array(integer()), 0, maxRecipients),
  topic: string(),
  content: string(),
  timestamp: optional(number()),
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
  returns: { count: integer(), drafts: array(storedDraft) },
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
  returns: { ids: array(draftId()) },
  handle({ realm, user, params }) {
    return realm.execute("addDrafts", { userId: user.id, drafts: params.drafts });
  },
});

/** Replaces a draft. https://zulip.com/api/edit-draft */
export const editDraft = route({
  doc: "https://zulip.com/api/edit-draft",
  summary: "Replaces one of the caller's drafts.",
  auth: anyAccount,
  params: { draft_id: pathInt<DraftId>(), draft: json(draft) },
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
