/**
 * Resources of Microsoft Graph that are read, as far as they are.
 * https://learn.microsoft.com/graph/api/resources/chatmessage
 */
import { array, boolean, type Infer, number, string, type, union, unknown } from "superstruct";
import { maybe } from "./forms.ts";

const identity = maybe(type({ id: maybe(string()), displayName: maybe(string()) }));

export const userForm = type({
  id: string(),
  displayName: maybe(string()),
  mail: maybe(string()),
  userPrincipalName: maybe(string()),
  accountEnabled: maybe(boolean()),
  /** Member or Guest. */
  userType: maybe(string()),
  createdDateTime: maybe(string()),
});
export type User = Infer<typeof userForm>;

export const teamForm = type({
  id: string(),
  displayName: maybe(string()),
  description: maybe(string()),
  visibility: maybe(string()),
  isArchived: maybe(boolean()),
  createdDateTime: maybe(string()),
});
export type Team = Infer<typeof teamForm>;

export const channelForm = type({
  id: string(),
  displayName: maybe(string()),
  description: maybe(string()),
  /** standard, private or shared. */
  membershipType: maybe(string()),
  isArchived: maybe(boolean()),
  createdDateTime: maybe(string()),
});
export type Channel = Infer<typeof channelForm>;

export const memberForm = type({ userId: maybe(string()), roles: maybe(array(string())) });
export const chatForm = type({ id: string(), topic: maybe(string()), members: maybe(array(memberForm)) });
export type Chat = Infer<typeof chatForm>;

export const attachmentForm = type({
  id: maybe(string()),
  contentType: maybe(string()),
  contentUrl: maybe(string()),
  content: maybe(string()),
  name: maybe(string()),
});
export type Attachment = Infer<typeof attachmentForm>;

export const mentionForm = type({
  id: union([number(), string()]),
  mentioned: maybe(type({ user: identity, conversation: identity })),
});

export const reactionForm = type({ reactionType: string(), user: maybe(type({ user: identity })) });

export const messageForm = type({
  id: string(),
  replyToId: maybe(string()),
  /** `message`, or another one for notices of the program. */
  messageType: maybe(string()),
  createdDateTime: string(),
  lastEditedDateTime: maybe(string()),
  deletedDateTime: maybe(string()),
  subject: maybe(string()),
  chatId: maybe(string()),
  channelIdentity: maybe(type({ channelId: maybe(string()) })),
  from: maybe(type({ user: identity, application: identity })),
  body: maybe(type({ contentType: maybe(string()), content: maybe(string()) })),
  attachments: maybe(unknown()),
  mentions: maybe(unknown()),
  reactions: maybe(unknown()),
  /** Present where the call said `$expand=replies`. */
  replies: maybe(unknown()),
});
export type Message = Infer<typeof messageForm>;

/** Of a message that another one quotes, or that somebody forwarded. */
export const quotedForm = type({
  messagePreview: maybe(string()),
  originalMessageContent: maybe(string()),
  messageSender: maybe(type({ user: identity })),
  originalMessageSender: maybe(type({ user: identity })),
});
