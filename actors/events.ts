/**
 * Every event a client can be sent, in the wire's shape but for `id`, which is the event's place in the realm's log.
 * Where clients declared different formats, the log carries the fullest one; `actors/event-queue/variants.ts` has the
 * table that derives the others. Source: spec/clients.md, 8.
 */

/** What all events share. The precise fields of each type are in the interfaces below where more than one file needs them. */
export interface RealmEvent {
  type: string;
  op?: string;
  [field: string]: unknown;
}

/** A message as the log carries it: both forms of the content, and what differs from reader to reader beside it. */
export interface MessageEvent extends RealmEvent {
  type: "message";
  message: WireMessage;
  /** The sender has read it: flag `read` for them. */
  read_by_sender: boolean;
  /** User id → flags that this user alone has (mentioned, has_alert_word, …). */
  flags: Record<string, string[]>;
  /** Flags of everyone: wildcard mentions. */
  common_flags: string[];
  /** User ids whose copy is read at once, ascending: they muted the sender. */
  read_by?: number[];
  /** Not everybody who receives it may know of the sender: `can_access_all_users_group` has its exceptions. */
  has_strangers?: true;
  /** The queue that the send named gets its `local_id` back, and no other. */
  local?: { queue_id: string; local_id: string };
}

/** Object 6.4 of spec/clients.md with the Markdown source and the HTML side by side. */
export interface WireMessage {
  id: number;
  sender_id: number;
  sender_email: string;
  sender_full_name: string;
  sender_realm_str: string;
  /** The URL to show; `gravatar` says that a client can compute it, from `sender_email`. */
  avatar_url: string;
  gravatar: boolean;
  /** The URL for readers who may know the sender's address, where not everybody may. */
  hidden_gravatar?: string;
  content: string;
  rendered_content: string;
  timestamp: number;
  client: string;
  type: "stream" | "private";
  stream_id?: number;
  display_recipient: string | { id: number; email: string; full_name: string; is_mirror_dummy: boolean }[];
  recipient_id: number;
  subject: string;
  topic_links: { text: string; url: string }[];
  is_me_message: boolean;
}

/**
 * `subscription` add as the log carries it: one for everybody whom a command subscribes. `subscriptions` has each channel once,
 * `personal` says which of them each person joined, and what differs from the record for them.
 */
export interface SubscriptionAddEvent extends RealmEvent {
  type: "subscription";
  op: "add";
  subscriptions: (Record<string, unknown> & { stream_id: number })[];
  /** User id → channel id → fields. */
  personal: Record<number, Record<number, Record<string, unknown>>>;
}

/** The records that a `subscription` add has for one person. */
export function subscriptionsFor(event: RealmEvent, userId: number): SubscriptionAddEvent["subscriptions"] {
  const { subscriptions, personal } = event as SubscriptionAddEvent;
  const mine = personal[userId] ?? {};
  return subscriptions.flatMap((record) => {
    const fields = mine[record.stream_id];
    return fields ? [{ ...record, ...fields }] : [];
  });
}
