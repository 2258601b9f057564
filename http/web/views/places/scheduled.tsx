/** The person's scheduled messages: edited, sent now, rescheduled or deleted where they are shown; and reminders. */

import type { ScheduledMessage } from "../../../client/types.ts";
import { type App, useApp } from "../../model/app.ts";
import { conversationOfScheduled } from "../../model/drafts.ts";
import { t } from "../../texts.ts";
import { narrowOf } from "../../wire/narrow.ts";
import { LazyPickTime } from "../frame/lazy.tsx";
import { Content } from "../messages/content.tsx";
import { Item, OwnList } from "./own-lists.tsx";

export function Scheduled() {
  const app = useApp();
  const scheduled = app.store.read("personal").scheduled_messages ?? [];
  return (
    <OwnList icon="clock" label={t.scheduledMessages} empty={t.scheduledEmpty} hint={t.scheduledEmptyHint}>
      {scheduled.map((message) => (
        <ScheduledItem key={message.scheduled_message_id} message={message} />
      ))}
    </OwnList>
  );
}

function ScheduledItem({ message }: { message: ScheduledMessage }) {
  const app = useApp();
  const path = `/scheduled_messages/${message.scheduled_message_id}`;
  const change = (params: { content: string } | { scheduled_delivery_timestamp: number }) =>
    app.actions.try("PATCH", path, params).then((answer) => answer !== undefined);
  return (
    <Item
      conversation={conversationOfScheduled(message)}
      at={message.failed ? t.deliveryFailed : t.deliveredAt(new Date(message.scheduled_delivery_timestamp * 1000))}
      source={message.content}
      save={(content) => change({ content })}
      actions={[
        { label: t.sendNow, run: () => void sendNow(app, message) },
        {
          label: t.reschedule,
          run: () =>
            app.ui.openDialog(() => (
              <LazyPickTime title={t.reschedule} choose={(at) => change({ scheduled_delivery_timestamp: at })} />
            )),
        },
        { label: t.delete, run: () => void app.actions.try("DELETE", path) },
      ]}
    >
      <Content html={message.rendered_content} />
    </Item>
  );
}

/** The schedule lets it go first: it would go out twice if its time came meanwhile. */
async function sendNow(app: App, message: ScheduledMessage): Promise<void> {
  const conversation = conversationOfScheduled(message);
  const isFree = await app.actions.try("DELETE", `/scheduled_messages/${message.scheduled_message_id}`);
  if (!isFree) return;
  app.outbox.send(conversation, message.content);
  app.ui.note(t.sent, "done", { label: t.showSent, run: () => app.route.open(narrowOf(conversation)) });
}

export function Reminders() {
  const app = useApp();
  const reminders = app.store.read("personal").reminders ?? [];
  return (
    <OwnList icon="bell" label={t.reminders} empty={t.remindersEmpty} hint={t.remindersEmptyHint}>
      {reminders.map((reminder) => (
        <Item
          key={reminder.reminder_id}
          conversation={undefined}
          at={t.deliveredAt(new Date(reminder.scheduled_delivery_timestamp * 1000))}
          actions={[
            { label: t.delete, run: () => void app.actions.try("DELETE", `/reminders/${reminder.reminder_id}`) },
          ]}
        >
          <Content html={reminder.rendered_content} />
        </Item>
      ))}
    </OwnList>
  );
}
