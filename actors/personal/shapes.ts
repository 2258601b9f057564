/** Drafts, saved snippets and navigation views as answers carry them. */
import { array, boolean, enums, type Infer, integer, object, optional, string } from "superstruct";
import { draftId, snippetId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** A stored draft. `timestamp` is that of its last edit, in UNIX seconds. https://zulip.com/api/get-drafts */
export const draft = object({
  id: described(draftId(), "The draft's id."),
  type: described(enums(["", "stream", "private"]), "`stream`, `private`, or empty while that is open."),
  to: described(array(integer()), "A channel's id in a list, or ids of people."),
  topic: described(string(), "The topic of a channel."),
  content: described(string(), "The text, in Markdown."),
  timestamp: described(integer(), "When it was last edited, in UNIX seconds."),
});

/** https://zulip.com/api/get-saved-snippets */
export const savedSnippet = object({
  id: described(snippetId(), "The snippet's id."),
  title: described(string(), "Its title."),
  content: described(string(), "The text, in Markdown."),
  date_created: integer(),
});

/** Built-in views have no name. https://zulip.com/api/get-navigation-views */
export const navigationView = object({
  fragment: string(),
  is_pinned: boolean(),
  name: described(optional(string()), "The view's name; built-in ones have none."),
});
export type NavigationViewRecord = Infer<typeof navigationView>;

/** https://zulip.com/api/mark-onboarding-step-as-read */
export const onboardingStep = object({
  type: described(enums(["one_time_notice"]), "Always `one_time_notice`."),
  name: described(string(), "The step's name."),
});

/** https://zulip.com/api/mute-user */
export const mutedUser = object({
  id: described(userId(), "The user's id."),
  timestamp: described(integer(), "Since when, in UNIX seconds."),
});
