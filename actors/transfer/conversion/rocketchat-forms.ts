/** The documents of Rocket.Chat that are read, as far as they are. https://github.com/RocketChat/Rocket.Chat */
import { array, boolean, type Infer, number, record, string, type, unknown } from "superstruct";
import { maybe } from "./forms.ts";

const person = type({ _id: string(), username: maybe(string()) });

export const userForm = type({
  _id: string(),
  username: maybe(string()),
  name: maybe(string()),
  emails: maybe(array(type({ address: string() }))),
  type: maybe(string()),
  roles: maybe(array(string())),
  active: maybe(boolean()),
  /** Milliseconds since 1970, as all times. */
  createdAt: maybe(number()),
});
export type User = Infer<typeof userForm>;

export const roomForm = type({
  _id: string(),
  /** c: public; p: private; d: direct; l, v: with visitors of a site. */
  t: string(),
  /** In addresses. */
  name: maybe(string()),
  fname: maybe(string()),
  topic: maybe(string()),
  description: maybe(string()),
  announcement: maybe(string()),
  ts: maybe(number()),
  u: maybe(person),
  archived: maybe(boolean()),
  /** Of a direct conversation; older ones have names alone. */
  uids: maybe(array(string())),
  usernames: maybe(array(string())),
  /** The room that a discussion was begun in. */
  prid: maybe(string()),
});
export type Room = Infer<typeof roomForm>;

export const subscriptionForm = type({ rid: string(), u: person });

export const messageForm = type({
  _id: string(),
  rid: string(),
  msg: maybe(string()),
  ts: number(),
  u: person,
  /** Of notices of the program. */
  t: maybe(string()),
  /** A message before it was edited, where the server keeps these. */
  _hidden: maybe(boolean()),
  editedAt: maybe(number()),
  reactions: maybe(record(string(), type({ usernames: maybe(array(string())) }))),
  starred: maybe(array(type({ _id: string() }))),
  pinned: maybe(boolean()),
  pinnedBy: maybe(type({ _id: maybe(string()) })),
  pinnedAt: maybe(number()),
  /** The name under which a program wrote by somebody's webhook. */
  alias: maybe(string()),
  attachments: maybe(unknown()),
  /** Of apps. */
  blocks: maybe(unknown()),
  file: maybe(type({ _id: string(), name: maybe(string()) })),
  files: maybe(array(type({ _id: string(), name: maybe(string()) }))),
  /** The message that begins the thread. */
  tmid: maybe(string()),
  /** Answers of the thread that it begins. */
  tcount: maybe(number()),
});
export type Message = Infer<typeof messageForm>;

export const emojiForm = type({ _id: string(), name: string(), extension: string() });
export const settingForm = type({ _id: string(), value: maybe(unknown()) });
