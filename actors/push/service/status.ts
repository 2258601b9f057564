/** Whether the push notification service sends notifications of an organization, as clients are told. */
import type { PushStatus } from "../../../storage/notifications/push-reports.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { usesService } from "./service.ts";

/** Keys of the row's settings, and properties of events. Nobody sets them by a request. */
const enabledKey = "push_notifications_enabled";
const endKey = "push_notifications_enabled_end_timestamp";

declare module "../../../storage/rows.ts" {
  interface RealmChoices {
    [enabledKey]?: boolean;
    [endKey]?: number | null;
  }
}

/** @param hasPush whether notifications go anywhere: a relay of one's own says nothing of organizations */
export const pushStatusOf = (state: RealmState, hasPush: boolean): PushStatus =>
  usesService(state)
    ? {
        can_push: state.row.settings[enabledKey] === true,
        end_timestamp: state.row.settings[endKey] ?? null,
      }
    : { can_push: hasPush, end_timestamp: null };

/** Tells everybody what the service says now. */
export const setPushStatus = command((tx: Tx, { can_push, end_timestamp }: PushStatus) => {
  const { row } = tx.state;
  const before = pushStatusOf(tx.state, false);
  if (before.can_push === can_push && before.end_timestamp === end_timestamp) return {};
  tx.put("realms", { ...row, settings: { ...row.settings, [enabledKey]: can_push, [endKey]: end_timestamp } });
  const changes = [
    ...(before.can_push === can_push ? [] : [{ property: enabledKey, value: can_push }]),
    ...(before.end_timestamp === end_timestamp ? [] : [{ property: endKey, value: end_timestamp }]),
  ];
  for (const change of changes) tx.event({ type: "realm", op: "update", ...change }, { to: "realm" });
  return {};
});
