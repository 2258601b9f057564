/** Structs of ids: integers that come out as ids of their kind. To JSON Schema they are integers like others. */
import { array, integer, pattern, record, refine, Struct, string } from "superstruct";
import type {
  AttachmentId,
  ChannelId,
  DeviceId,
  DomainId,
  DraftId,
  ExportId,
  FolderId,
  GroupId,
  HoldId,
  IdentityId,
  InvitationId,
  LinkifierId,
  LogPosition,
  MessageId,
  PasskeyId,
  PlaygroundId,
  ProfileFieldId,
  RealmId,
  RecipientId,
  ScheduledId,
  ScimTokenId,
  SessionId,
  SnippetId,
  SubmessageId,
  UserId,
} from "../storage/ids.ts";

type IdShape<Id extends number> = () => Struct<Id, null>;
const strict =
  <Id extends number>(): IdShape<Id> =>
  () =>
    new Struct<Id, null>(integer());

export const userId: IdShape<UserId> = integer;
export const channelId: IdShape<ChannelId> = integer;
export const folderId = strict<FolderId>();
export const groupId: IdShape<GroupId> = integer;
export const messageId: IdShape<MessageId> = integer;
export const passkeyId: IdShape<PasskeyId> = integer;
export const recipientId = strict<RecipientId>();
export const logPosition: IdShape<LogPosition> = integer;
export const realmId: IdShape<RealmId> = integer;
export const submessageId: IdShape<SubmessageId> = integer;
export const attachmentId: IdShape<AttachmentId> = integer;
export const scheduledId: IdShape<ScheduledId> = integer;
export const draftId: IdShape<DraftId> = integer;
export const exportId: IdShape<ExportId> = integer;
export const identityId: IdShape<IdentityId> = integer;
export const scimTokenId: IdShape<ScimTokenId> = integer;
export const holdId: IdShape<HoldId> = integer;
export const sessionId: IdShape<SessionId> = integer;
export const snippetId: IdShape<SnippetId> = integer;
export const invitationId: IdShape<InvitationId> = integer;
export const deviceId: IdShape<DeviceId> = integer;
export const linkifierId: IdShape<LinkifierId> = integer;
export const playgroundId: IdShape<PlaygroundId> = integer;
export const domainId: IdShape<DomainId> = integer;
export const profileFieldId: IdShape<ProfileFieldId> = integer;

const idAsKey = pattern(string(), /^\d+$/);
/** Values by id. */
export const byId = <T, S>(value: Struct<T, S>) => record(idAsKey, value);

/** At least one id, each once. */
export const eachOnce = <T>(id: Struct<T, null>) =>
  refine(array(id), "each once", (ids) => ids.length > 0 && new Set(ids).size === ids.length);

/** Ids in ascending order. */
export const ascending = <T extends number>(id: Struct<T, null>) =>
  refine(array(id), "ascending", (ids) =>
    ids.every((one, index) => one > (ids[index - 1] ?? Number.NEGATIVE_INFINITY)),
  );
