/** The heading of a conversation, in lists that show several. */
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { type Conversation, narrowOf } from "../../wire/narrow.ts";
import { openTopicMenu } from "../frame/menus.tsx";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { Icon } from "../parts/icons.tsx";
import { TopicName } from "./topic-name.tsx";

export function ConversationBar({ conversation }: { conversation: Conversation }) {
  const app = useApp();
  if (conversation.kind === "direct") {
    const names = conversation.userIds.map((id) => app.people.name(id)).join(", ") || t.notesToSelf;
    return (
      <div class="conversation-bar direct">
        <a href={app.route.link(narrowOf(conversation))}>
          <Icon name="person" size={15} /> {names}
        </a>
      </div>
    );
  }
  const { channelId, topic } = conversation;
  const channel = app.channels.get(channelId);
  return (
    <div class="conversation-bar">
      <ChannelMark channelId={channelId} />
      <a class="ellipsis of-channel" dir="auto" href={app.route.link([{ operator: "channel", operand: channelId }])}>
        {channel?.name ?? channelId}
      </a>
      <span class="soft" aria-hidden="true">
        ›
      </span>
      <a href={app.route.link(narrowOf(conversation))}>
        <TopicName topic={topic} />
      </a>
      <button
        type="button"
        class="icon-button small dots"
        aria-label={t.topicActions}
        onClick={(event) => openTopicMenu(app, event.currentTarget, channelId, topic)}
      />
    </div>
  );
}
