/** Drafts, saved snippets and navigation views as answers carry them. */
import { array, boolean, enums, type Infer, integer, object, optional, string } from "superstruct";
import { draftId, snippetId, userId } from "../id-shapes.ts";

/** A stored draft. `timestamp` is that of its last edit, in UNIX seconds. https://zulip.com/api/get-drafts */
export const draft = object({
  id: draftId(),
  type: enums(["", "stream", "private"]),
  to: array(integer()),
  topic: string(),
  content: string(),
  timestamp: integer(),
});

/** https://zulip.com/api/get-saved-snippets */
export const savedSnippet = object({ id: snippetId(), title: string(), content: string(), date_created: integer() });

/** Built-in views have no name. https://zulip.com/api/get-navigation-views */
export const navigationView = object({ fragment: string(), is_pinned: boolean(), name: optional(string()) });
export type NavigationViewRecord = Infer<typeof navigationView>;

/** https://zulip.com/api/mark-onboarding-step-as-read */
export const onboardingStep = object({ type: enums(["one_time_notice"]), name: string() });

/** https://zulip.com/api/mute-user */
export const mutedUser = object({ id: userId(), timestamp: integer() });
