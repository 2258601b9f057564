/**
 * The lines of Mattermost's bulk export that are read, as far as they are.
 * https://docs.mattermost.com/administration-guide/onboard/bulk-loading-data.html
 */
import { array, boolean, type Infer, literal, number, string, type, unknown } from "superstruct";
import { maybe } from "./forms.ts";

export const channelForm = type({
  team: string(),
  name: string(),
  display_name: maybe(string()),
  type: maybe(string()),
  header: maybe(string()),
  purpose: maybe(string()),
  deleted_at: maybe(number()),
});
export type Channel = Infer<typeof channelForm>;

export const userForm = type({
  username: string(),
  email: maybe(string()),
  nickname: maybe(string()),
  first_name: maybe(string()),
  last_name: maybe(string()),
  roles: maybe(string()),
  delete_at: maybe(number()),
  teams: maybe(
    array(type({ name: string(), roles: maybe(string()), channels: maybe(array(type({ name: string() }))) })),
  ),
});
export type User = Infer<typeof userForm>;

export const botForm = type({ username: string(), display_name: maybe(string()), delete_at: maybe(number()) });
export type Bot = Infer<typeof botForm>;

const said = {
  user: string(),
  message: maybe(string()),
  /** Milliseconds since 1970. */
  create_at: number(),
  edit_at: maybe(number()),
  type: maybe(string()),
  flagged_by: maybe(array(string())),
  reactions: maybe(array(type({ user: string(), emoji_name: string() }))),
  attachments: maybe(array(type({ path: string() }))),
  is_pinned: maybe(boolean()),
  /** What programs attach, and under which name. */
  props: maybe(type({ attachments: maybe(unknown()), override_username: maybe(string()) })),
};
export const replyForm = type(said);
export type Post = Infer<typeof replyForm>;
const thread = { ...said, replies: maybe(array(unknown())) };

/** The lines that are read, by their types; a line has its content under the name of its type. */
export const forms = {
  version: type({ type: literal("version") }),
  team: type({ type: literal("team"), team: type({ name: string(), display_name: maybe(string()) }) }),
  channel: type({ type: literal("channel"), channel: channelForm }),
  user: type({ type: literal("user"), user: userForm }),
  bot: type({ type: literal("bot"), bot: botForm }),
  emoji: type({ type: literal("emoji"), emoji: type({ name: string(), image: string() }) }),
  post: type({ type: literal("post"), post: type({ ...thread, team: string(), channel: string() }) }),
  /** Whoever wrote in it is in its posts. */
  direct_channel: type({ type: literal("direct_channel") }),
  direct_post: type({
    type: literal("direct_post"),
    direct_post: type({ ...thread, channel_members: array(string()) }),
  }),
};
export type Line = { [Name in keyof typeof forms]: Infer<(typeof forms)[Name]> }[keyof typeof forms];
