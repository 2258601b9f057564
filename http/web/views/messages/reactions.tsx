/** The reactions to a message. A click adds or removes the person's own. */

import type { Message, Reaction } from "../../../client/types.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Icon } from "../parts/icons.tsx";

export function Reactions({ message }: { message: Message }) {
  const app = useApp();
  const byEmoji = new Map<string, [Reaction, ...Reaction[]]>();
  for (const reaction of message.reactions) {
    const key = `${reaction.reaction_type}:${reaction.emoji_code}`;
    const alike = byEmoji.get(key);
    if (alike) alike.push(reaction);
    else byEmoji.set(key, [reaction]);
  }
  return (
    <div class="reactions" role="group" aria-label={t.reactions}>
      {[...byEmoji].map(([key, reactions]) => {
        const emoji = app.emoji.of(reactions[0]);
        const isMine = reactions.some(({ user_id }) => user_id === app.me);
        const names = reactions
          .map(({ user_id }) => (user_id === app.me ? t.you : app.people.name(user_id)))
          .join(", ");
        const label = t.reactedWith(names, emoji.name);
        return (
          <button
            key={key}
            type="button"
            class={`reaction${isMine ? " mine" : ""}`}
            aria-pressed={isMine}
            aria-label={`${emoji.url ? "" : emoji.text} ${reactions.length} ${label}`.trim()}
            title={label}
            disabled={!app.permissions.isLoggedIn}
            onClick={() => void app.actions.react(message, reactions[0])}
          >
            {app.hasTextEmoji ? (
              <span>{`:${emoji.name}:`}</span>
            ) : emoji.url ? (
              <img src={emoji.url} alt="" width="16" height="16" />
            ) : (
              <span>{emoji.text}</span>
            )}
            <span class="count">{reactions.length}</span>
          </button>
        );
      })}
      {app.permissions.isLoggedIn && (
        <button
          type="button"
          class="reaction add"
          aria-label={t.react}
          onClick={(event) =>
            openEmojiPicker(app, event.currentTarget, (emoji) => void app.actions.react(message, emoji))
          }
        >
          <Icon name="smile" size={15} />
        </button>
      )}
    </div>
  );
}
