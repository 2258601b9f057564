/**
 * For how many days an organization keeps what: its owners decide by kind. Messages of channels are kept for as long as
 * `message_retention_days` of the channel, else of the organization, says. An organization that has decided nothing
 * keeps the other kinds as all did before.
 *
 * | Rule | Kind                                        | Goes                                          |
 * | RK1  | a direct message                            | after its own days, else the organization's   |
 * | RK2  | the text before an edit                     | its days after the edit; the edit stays known |
 * | RK3  | a file that no message or draft names       | its days after the last one let go of it      |
 * | RK4  | anything under a legal hold                 | from sight, with a copy kept; texts stay      |
 * | RK5  | what one run does not get to, or died over  | in the next                                   |
 * | RK6  | a row of the audit log                      | its days later, and no row under a legal hold |
 */
import type { ChannelRow } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";

export interface RetentionPolicy {
  /** Direct messages. null: for as long as the organization keeps messages; -1: for ever. */
  direct_message_days: number | null;
  /** What an edited message said before, counted from the edit. -1: as long as the message. */
  earlier_text_days: number;
  /** Files since the last message that named them let go of them, or since their upload. -1: for ever. */
  unused_file_days: number;
  /** Rows of the audit log. -1: for ever. */
  audit_log_days: number;
}

/** Where it is kept among the organization's settings. Clients know of none such. */
export const retentionKey = "retention";

declare module "../../storage/rows.ts" {
  interface RealmChoices {
    [retentionKey]?: Partial<RetentionPolicy>;
  }
}

const undecided: RetentionPolicy = {
  direct_message_days: null,
  earlier_text_days: -1,
  unused_file_days: -1,
  audit_log_days: -1,
};

export const retentionOf = ({ row }: Pick<RealmState, "row">): RetentionPolicy => ({
  ...undecided,
  ...row.settings[retentionKey],
});

const secondsPerDay = 86_400;

const since = (days: number, now: number): number | undefined => (days > 0 ? now - days * secondsPerDay : undefined);

/** Messages sent to the channel before this time have expired (UNIX seconds). Undefined: none ever does. */
export const channelExpiry = (state: RealmState, channel: ChannelRow, now: number): number | undefined =>
  since(channel.message_retention_days ?? state.setting("message_retention_days"), now);

/** The same of direct messages. */
export const directExpiry = (state: RealmState, now: number): number | undefined =>
  since(retentionOf(state).direct_message_days ?? state.setting("message_retention_days"), now);

/** Texts that were replaced before this time have expired. */
export const earlierTextExpiry = (state: RealmState, now: number): number | undefined =>
  since(retentionOf(state).earlier_text_days, now);

/** Files that nothing has named since before this time have expired. */
export const unusedFileExpiry = (state: RealmState, now: number): number | undefined =>
  since(retentionOf(state).unused_file_days, now);

/** Rows of the audit log from before this time have expired. */
export const auditLogExpiry = (state: RealmState, now: number): number | undefined =>
  since(retentionOf(state).audit_log_days, now);
