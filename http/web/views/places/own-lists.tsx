/** The person's drafts, scheduled messages and reminders. */
import type { ComponentChildren } from "preact";
import { useApp } from "../../model/app.ts";
import { conversationOfDraft, conversationOfScheduled } from "../../model/drafts.ts";
import { type Conversation, narrowOf } from "../../state/narrow.ts";
import { t } from "../../texts.ts";
import type { Draft, Reminder, ScheduledMessage } from "../../wire/types.ts";
import { Content } from "../messages/content.tsx";
import { ConversationBar } from "../messages/conversation-bar.tsx";
import { shortTime } from "../parts/dates.ts";
import { Icon, type IconName } from "../parts/icons.tsx";

function OwnList({ icon, empty, children }: { icon: IconName; empty: string; children: ComponentChildren[] }) {
  if (children.length === 0)
    return (
      <div class="empty">
        <Icon name={icon} size={44} />
        <p>{empty}</p>
      </div>
    );
  return <ul class="own-list">{children}</ul>;
}

interface ItemProps {
  conversation: Conversation | undefined;
  at: string;
  children: ComponentChildren;
  actions: readonly { label: string; run(): void }[];
}

function Item({ conversation, at, children, actions }: ItemProps) {
  return (
    <li>
      <div class="own-head">
        {conversation && <ConversationBar conversation={conversation} />}
        <time class="soft">{at}</time>
      </div>
      {children}
      <div class="own-actions">
        {actions.map(({ label, run }) => (
          <button key={label} type="button" class="button quiet small" onClick={run}>
            {label}
          </button>
        ))}
      </div>
    </li>
  );
}

export function DraftsView() {
  const app = useApp();
  void app.drafts.version.value;
  return (
    <OwnList icon="draft" empty={t.draftsEmpty}>
      {app.drafts.all.map((draft: Draft) => {
        const conversation = conversationOfDraft(draft);
        return (
          <Item
            key={draft.id}
            conversation={conversation}
            at={shortTime(draft.timestamp, app.has24Hours)}
            actions={[
              {
                label: t.restore,
                run: () => {
                  if (conversation) app.route.open(narrowOf(conversation));
                  else app.compose.write(draft.content);
                  app.compose.focus();
                },
              },
              { label: t.delete, run: () => void app.drafts.remove(draft).catch(() => {}) },
            ]}
          >
            <p class="plain" dir="auto">
              {draft.content}
            </p>
          </Item>
        );
      })}
    </OwnList>
  );
}

export function ScheduledView() {
  const app = useApp();
  const scheduled = (app.store.read("personal")["scheduled_messages"] ?? []) as ScheduledMessage[];
  return (
    <OwnList icon="clock" empty={t.scheduledEmpty}>
      {scheduled.map((message) => (
        <Item
          key={message.scheduled_message_id}
          conversation={conversationOfScheduled(message)}
          at={message.failed ? t.deliveryFailed : t.deliveredAt(new Date(message.scheduled_delivery_timestamp * 1000))}
          actions={[
            {
              label: t.edit,
              run: () => {
                const conversation = conversationOfScheduled(message);
                void app.actions.try("DELETE", `/scheduled_messages/${message.scheduled_message_id}`).then((done) => {
                  if (!done) return;
                  app.route.open(narrowOf(conversation));
                  app.compose.append(message.content);
                });
              },
            },
            {
              label: t.delete,
              run: () => void app.actions.try("DELETE", `/scheduled_messages/${message.scheduled_message_id}`),
            },
          ]}
        >
          <Content html={message.rendered_content} />
        </Item>
      ))}
    </OwnList>
  );
}

export function RemindersView() {
  const app = useApp();
  const reminders = (app.store.read("personal")["reminders"] ?? []) as Reminder[];
  return (
    <OwnList icon="bell" empty={t.remindersEmpty}>
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
