/**
 * The ids of a realm's things, each a number of a kind of its own. A user's id where a channel's is wanted does not
 * compile. Most of them take a plain number, so nothing has to be converted where ids come from PostgreSQL, JSON or
 * arithmetic. A parameter or field that holds an id says its kind (`test/imports.test.ts` looks for those that do not).
 */
declare const kind: unique symbol;

export type Id<Kind extends string> = number & { readonly [kind]?: Kind };

/** An id that no plain number is taken for. It comes from a row, from JSON or from a sequence. */
export type StrictId<Kind extends string> = number & { readonly [kind]: Kind };

export type RealmId = Id<"realm">;
export type UserId = Id<"user">;
export type ChannelId = Id<"channel">;
export type FolderId = StrictId<"channel folder">;
export type GroupId = Id<"group">;
export type MessageId = Id<"message">;
/** A channel, or the people of a direct conversation. */
export type RecipientId = StrictId<"recipient">;
/** A place in a realm's log, and the `id` of the event there. */
export type LogPosition = Id<"log position">;
export type SubmessageId = Id<"submessage">;
export type AttachmentId = Id<"attachment">;
/** A scheduled message, or a reminder. */
export type ScheduledId = Id<"scheduled message">;
export type DraftId = Id<"draft">;
export type SnippetId = Id<"saved snippet">;
export type InvitationId = Id<"invitation">;
export type DeviceId = Id<"device">;
export type LinkifierId = Id<"linkifier">;
export type PlaygroundId = Id<"playground">;
export type DomainId = Id<"domain">;
export type ProfileFieldId = Id<"profile field">;
export type EmojiId = Id<"emoji">;
export type DefaultGroupId = Id<"default channel group">;
/** A call of an outgoing webhook that waits. */
export type WebhookCallId = Id<"webhook call">;
/** An export of an organization. */
export type ExportId = Id<"export">;
/** An email that waits to be sent. */
export type EmailId = Id<"email">;
/** A notification that waits to be sent. */
export type PushId = Id<"push notification">;
export type PushRegistrationId = Id<"push registration">;
/** A move of very many messages that is not over. */
export type MoveId = Id<"move">;
/** A browser's log-in. */
export type SessionId = Id<"session">;
/** A passkey of a person. */
export type PasskeyId = Id<"passkey">;
/** Who somebody is at a provider of identities. */
export type IdentityId = Id<"identity">;
/** A browser that is told while no page is open. */
export type BrowserId = Id<"push browser">;
/** A token by which a directory provisions accounts. */
export type ScimTokenId = Id<"SCIM token">;
/** What may not be lost, by law. */
export type HoldId = Id<"legal hold">;
