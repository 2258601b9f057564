/** What is read of Slack's export of a workspace, as far as it is. https://docs.slack.dev/reference/objects */
import { array, boolean, type Infer, number, string, type, unknown } from "superstruct";
import { maybe } from "./forms.ts";

const names = { real_name: maybe(string()), display_name: maybe(string()) };

export const userForm = type({
  id: string(),
  name: maybe(string()),
  deleted: maybe(boolean()),
  real_name: maybe(string()),
  tz: maybe(string()),
  is_owner: maybe(boolean()),
  is_primary_owner: maybe(boolean()),
  is_admin: maybe(boolean()),
  is_restricted: maybe(boolean()),
  is_ultra_restricted: maybe(boolean()),
  is_bot: maybe(boolean()),
  profile: maybe(type({ ...names, email: maybe(string()) })),
});
export type User = Infer<typeof userForm>;

export const conversationForm = type({
  id: string(),
  name: maybe(string()),
  created: maybe(number()),
  creator: maybe(string()),
  is_archived: maybe(boolean()),
  members: maybe(array(string())),
  topic: maybe(type({ value: maybe(string()) })),
  purpose: maybe(type({ value: maybe(string()) })),
  pins: maybe(unknown()),
});
export type Conversation = Infer<typeof conversationForm>;

/** Its id is the time of the pinned message. */
export const pinForm = type({ id: string(), user: maybe(string()), created: maybe(number()) });

export const fileForm = type({
  id: maybe(string()),
  name: maybe(string()),
  title: maybe(string()),
  permalink: maybe(string()),
});
export type File = Infer<typeof fileForm>;

export const messageForm = type({
  type: maybe(string()),
  subtype: maybe(string()),
  user: maybe(string()),
  bot_id: maybe(string()),
  username: maybe(string()),
  /** Of people of other workspaces, who are in no list. */
  user_profile: maybe(type({ ...names, name: maybe(string()) })),
  text: maybe(string()),
  ts: string(),
  thread_ts: maybe(string()),
  edited: maybe(type({ ts: maybe(string()) })),
  reactions: maybe(array(type({ name: string(), users: maybe(array(string())), count: maybe(number()) }))),
  files: maybe(array(fileForm)),
  attachments: maybe(unknown()),
  blocks: maybe(unknown()),
  /** Ids of conversations. */
  pinned_to: maybe(array(string())),
});
export type Message = Infer<typeof messageForm>;

/** Files of a message that somebody shared. */
export const sharedForm = type({ files: array(fileForm) });
