/** What people and bots keep for themselves. */
import { defined } from "../../../storage/failures.ts";
import type { DraftId, Id, SnippetId, UserId } from "../../../storage/ids.ts";
import type { BulkRow } from "../../../storage/transfer/imports.ts";
import type { ZulipExport } from "./export.ts";
import type { Mapping } from "./mapping.ts";
import type { Survey } from "./survey.ts";
import type { OldUserId } from "./tables.ts";

/** Rows of people who are there, each with the new id of its person. */
function ofPeople<Row, Made>(
  rows: readonly Row[],
  ids: ReadonlyMap<OldUserId, UserId>,
  owner: (row: Row) => OldUserId,
  make: (row: Row, userId: UserId) => Made,
): Made[] {
  return rows.flatMap((row) => {
    const userId = ids.get(owner(row));
    return userId === undefined ? [] : [make(row, userId)];
  });
}

const byId = (a: { id: Id<"old row"> }, b: { id: Id<"old row"> }): number => a.id - b.id;

export function onboardingSteps(from: ZulipExport, { ids }: Mapping): BulkRow<"onboarding_steps">[] {
  return ofPeople(
    from.rows("zerver_onboardingstep"),
    ids.users,
    ({ user }) => user,
    ({ onboarding_step: name }, user_id) => ({ user_id, name, realm_id: ids.realm }),
  );
}

export function botStorage(from: ZulipExport, { ids }: Mapping): BulkRow<"bot_storage">[] {
  return ofPeople(
    from.rows("zerver_botstoragedata"),
    ids.users,
    ({ bot_profile }) => bot_profile,
    ({ key, value }, user_id) => ({ user_id, key, realm_id: ids.realm, value }),
  );
}

/** @param newIds one for each draft of the export */
export function drafts(
  from: ZulipExport,
  survey: Survey,
  { ids, texts }: Mapping,
  newIds: readonly DraftId[],
): BulkRow<"drafts">[] {
  const rows = [...from.rows("zerver_draft")]
    .sort(byId)
    .map((row, index) => ({ ...row, newId: defined(newIds[index], "new id") }));
  return ofPeople(
    rows,
    ids.users,
    (row) => row.user_profile,
    (row, user_id) => {
      const place = row.recipient === null ? undefined : survey.placeOf(row.recipient, row.user_profile);
      const channel = place && "channel" in place ? ids.channels.get(place.channel) : undefined;
      const people =
        place && "conversation" in place ? defined(survey.conversations[place.conversation], "conversation") : [];
      const others = people.filter((id) => id !== row.user_profile).flatMap((id) => ids.users.get(id) ?? []);
      const to = channel !== undefined ? [channel] : people.length > 0 && others.length === 0 ? [user_id] : others;
      return {
        id: row.newId,
        realm_id: ids.realm,
        user_id,
        type: channel !== undefined ? "stream" : to.length > 0 ? "private" : "",
        to,
        topic: channel === undefined ? "" : row.topic,
        content: texts.markdown(row.content),
        timestamp: row.last_edit_time,
      };
    },
  );
}

/** @param newIds one for each snippet of the export */
export function savedSnippets(
  from: ZulipExport,
  { ids, texts }: Mapping,
  newIds: readonly SnippetId[],
): BulkRow<"saved_snippets">[] {
  const rows = [...from.rows("zerver_savedsnippet")]
    .sort(byId)
    .map((row, index) => ({ ...row, newId: defined(newIds[index], "new id") }));
  return ofPeople(
    rows,
    ids.users,
    (row) => row.user_profile,
    (row, user_id) => ({
      id: row.newId,
      realm_id: ids.realm,
      user_id,
      title: row.title,
      content: texts.markdown(row.content),
      date_created: Math.floor(row.date_created),
    }),
  );
}

/** @param places one for each view of the export, ascending */
export function navigationViews(
  from: ZulipExport,
  { ids, texts }: Mapping,
  places: readonly number[],
): BulkRow<"navigation_views">[] {
  const rows = from
    .rows("zerver_navigationview")
    .map((row, index) => ({ ...row, position: defined(places[index], "place") }));
  return ofPeople(
    rows,
    ids.users,
    (row) => row.user,
    ({ fragment, is_pinned, name, position }, user_id) => ({
      user_id,
      realm_id: ids.realm,
      fragment: texts.fragment(fragment),
      is_pinned,
      name,
      position,
    }),
  );
}

/** When people were last seen. */
export function presence(from: ZulipExport, { ids }: Mapping): BulkRow<"presence">[] {
  const seconds = (time: number | null): number | null => (time === null ? null : Math.floor(time));
  return ofPeople(
    from.rows("zerver_userpresence"),
    ids.users,
    (row) => row.user_profile,
    (row, user_id) => ({
      user_id,
      realm_id: ids.realm,
      active_at: seconds(row.last_active_time),
      idle_at: seconds(row.last_connected_time),
      update_id: 0,
    }),
  );
}
