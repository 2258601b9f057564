/** Drafts of the caller. */
import { array, enums, integer, number, object, optional, size, string } from "superstruct";
import { readDrafts } from "../../../actors/personal/drafts.ts";
import { defaultMaxBodyBytes, json, pathInt } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Per request: a client that was offline sends what it has in a few. */
const maxDraftsAtOnce = 1000;
/** A group conversation has not more people. */
const maxRecipients = 1000;

const draft = object({
  id: optional(integer()),
  type: enums(["", "stream", "private"]),
  to: size(array(integer()), 0, maxRecipients),
  topic: string(),
  content: string(),
  timestamp: optional(number()),
});
const draftSchema = {
  type: "object",
  required: ["type", "to", "topic", "content"],
  properties: {
    id: { type: "integer" },
    type: { type: "string", enum: ["", "stream", "private"] },
    to: { type: "array", items: { type: "integer" } },
    topic: { type: "string" },
    content: { type: "string" },
    timestamp: { type: "integer" },
  },
  additionalProperties: false,
} as const;

const storedSchema = { ...draftSchema, required: ["id", ...draftSchema.required, "timestamp"] };

/** The caller's drafts, newest edit first. https://zulip.com/api/get-drafts */
export const getDrafts = route({
  method: "GET",
  path: "/drafts",
  doc: "https://zulip.com/api/get-drafts",
  summary: "Returns the caller's drafts.",
  auth: anyAccount,
  params: {},
  returns: { count: { type: "integer" }, drafts: { type: "array", items: storedSchema } },
  async handle({ realm, user }) {
    const drafts = await readDrafts(realm, user);
    return { count: drafts.length, drafts };
  },
});

/** Adds drafts. https://zulip.com/api/create-drafts */
export const createDrafts = route({
  method: "POST",
  path: "/drafts",
  doc: "https://zulip.com/api/create-drafts",
  summary: "Adds drafts: all of them, or none when one is refused.",
  auth: anyAccount,
  params: {
    drafts: json(size(array(draft), 0, maxDraftsAtOnce), { type: "array", items: draftSchema })
      .atMost(defaultMaxBodyBytes)
      .default([]),
  },
  returns: { ids: { type: "array", items: { type: "integer" } } },
  handle({ realm, user, params }) {
    return realm.execute("addDrafts", { userId: user.id, drafts: params.drafts });
  },
});

/** Replaces a draft. https://zulip.com/api/edit-draft */
export const editDraft = route({
  method: "PATCH",
  path: "/drafts/:draft_id",
  doc: "https://zulip.com/api/edit-draft",
  summary: "Replaces one of the caller's drafts.",
  auth: anyAccount,
  params: { draft_id: pathInt(), draft: json(draft, draftSchema) },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("updateDraft", { userId: user.id, id: params.draft_id, draft: params.draft });
  },
});

/** Deletes a draft. https://zulip.com/api/delete-draft */
export const deleteDraft = route({
  method: "DELETE",
  path: "/drafts/:draft_id",
  doc: "https://zulip.com/api/delete-draft",
  summary: "Deletes one of the caller's drafts.",
  auth: anyAccount,
  params: { draft_id: pathInt() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("removeDraft", { userId: user.id, id: params.draft_id });
  },
});
