/** The parts of the API's answers that the page reads. https://zulip.com/api/get-messages */

export type MessageId = number;

export interface Reaction {
  emoji_name: string;
  emoji_code: string;
  reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji";
  user_id: number;
}

export interface Submessage {
  id: number;
  message_id: number;
  sender_id: number;
  msg_type: string;
  content: string;
}

export interface Edit {
  user_id: number | null;
  timestamp: number;
  prev_content?: string;
  prev_topic?: string;
  topic?: string;
  prev_stream?: number;
  stream?: number;
}

/** A message in a channel, or to people. */
export type Message = SentMessage & { flags: string[] };

export type ChannelMessage = Message & InChannel;

/** A message as it is for everybody. */
export type SentMessage = (InChannel | Direct) & Contents;

interface InChannel {
  type: "stream";
  stream_id: number;
  display_recipient: string;
}

interface Direct {
  type: "private";
  stream_id?: undefined;
  display_recipient: { id: number; full_name: string }[];
}

interface Contents {
  id: MessageId;
  sender_id: number;
  sender_full_name: string;
  content: string;
  timestamp: number;
  subject: string;
  topic_links: { text: string; url: string }[];
  is_me_message: boolean;
  reactions: Reaction[];
  submessages: Submessage[];
  edit_history?: Edit[];
  last_edit_timestamp?: number;
  last_moved_timestamp?: number;
  match_content?: string;
  match_subject?: string;
}

export interface MessagesAnswer {
  messages: Message[];
  anchor?: number;
  found_anchor?: boolean;
  found_oldest?: boolean;
  found_newest?: boolean;
  history_limited: boolean;
}

/** One term of a search. https://zulip.com/api/construct-narrow */
export interface Term {
  operator: string;
  operand: string | number | number[];
  negated?: boolean;
}

export interface Draft {
  id: number;
  type: "" | "stream" | "private";
  to: number[];
  topic: string;
  content: string;
  timestamp: number;
}

export interface ScheduledMessage {
  scheduled_message_id: number;
  type: "stream" | "private";
  to: number | number[];
  topic?: string;
  content: string;
  rendered_content: string;
  scheduled_delivery_timestamp: number;
  failed: boolean;
}

export interface Reminder {
  reminder_id: number;
  content: string;
  rendered_content: string;
  scheduled_delivery_timestamp: number;
  reminder_target_message_id: number;
  failed: boolean;
}

/** https://zulip.com/api/get-saved-snippets */
export interface Snippet {
  id: number;
  title: string;
  content: string;
}

/** A field of people's profiles. */
export interface ProfileField {
  id: number;
  name: string;
  type: number;
  hint: string;
  field_data: string;
  editable_by_user?: boolean;
}

export interface HistoryEntry {
  topic: string;
  content: string;
  rendered_content: string;
  timestamp: number;
  user_id: number | null;
  prev_topic?: string;
  stream?: number;
  prev_stream?: number;
  content_html_diff?: string;
}
