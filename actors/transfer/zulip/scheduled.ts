/** Imports scheduled messages and reminders. */
import { defined } from "../../../storage/failures.ts";
import type { RealmId } from "../../../storage/ids.ts";
import type { ScheduledRow } from "../../../storage/messages/scheduled.ts";
import { renderPlainText } from "../../markdown/render.ts";
import type { ZulipExport } from "./export.ts";
import type { Mapping } from "./mapping.ts";
import type { Survey } from "./survey.ts";

const deliveryTypes = { later: 1 } as const;

type NewScheduled = Omit<ScheduledRow, "id"> & { realm_id: RealmId };

/** The rows that are still to be sent, or could not be. */
export function scheduledRows(from: ZulipExport, survey: Survey, { ids, texts, clients }: Mapping): NewScheduled[] {
  return from.rows("zerver_scheduledmessage").flatMap((row): NewScheduled[] => {
    const user_id = ids.users.get(row.sender);
    const place = survey.placeOf(row.recipient, row.sender);
    if (row.delivered || user_id === undefined || place === undefined) return [];
    const target =
      row.reminder_target_message_id == null ? undefined : ids.messages.get(row.reminder_target_message_id);
    if (row.delivery_type !== deliveryTypes.later && target === undefined) return [];
    const channel = "channel" in place ? ids.channels.get(place.channel) : undefined;
    if ("channel" in place && channel === undefined) return [];
    const people =
      "channel" in place
        ? []
        : defined(survey.conversations[place.conversation], "conversation").filter((id) => id !== row.sender);
    const others = people.flatMap((id) => ids.users.get(id) ?? []);
    return [
      {
        realm_id: ids.realm,
        user_id,
        type: channel === undefined ? "private" : "stream",
        to: channel ?? (others.length > 0 ? others : [user_id]),
        topic: channel === undefined ? "" : row.subject,
        content: texts.markdown(row.content),
        rendered_content:
          row.rendered_content === null
            ? renderPlainText(row.content).html
            : texts.html(row.rendered_content, row.content),
        scheduled_delivery_timestamp: Math.floor(row.scheduled_timestamp),
        failed: row.failed,
        reminder_target_message_id: target ?? null,
        note: row.reminder_note ?? null,
        read_by_sender: row.read_by_sender ?? true,
        client: clients.get(row.sending_client) ?? "Unspecified",
      },
    ];
  });
}
