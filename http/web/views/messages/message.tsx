/** One message, and one being sent. */

import { useComputed, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Message } from "../../../client/types.ts";
import { type App, useApp } from "../../model/app.ts";
import type { Pending } from "../../model/outbox.ts";
import { roles } from "../../model/permissions.ts";
import { t } from "../../texts.ts";
import { isMentioned } from "../../wire/narrow.ts";
import { LazyHistory } from "../frame/lazy.tsx";
import { openMessageMenu } from "../frame/menus.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { fullTime, timeOf } from "../parts/dates.ts";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Icon } from "../parts/icons.tsx";
import { lazy } from "../parts/lazy.tsx";
import { openPerson } from "../parts/person-card.tsx";
import { StatusEmoji } from "../parts/presence.tsx";
import { Content } from "./content.tsx";
import { Reactions } from "./reactions.tsx";
import { Widget, widgetOf } from "./widgets.tsx";

const LazyEditor = lazy(() => import("../dialogs/message-editor.tsx").then((module) => module.MessageEditor));

/** What a message looks like because of what is known elsewhere. */
interface Look {
  isSelected: boolean;
  isEditing: boolean;
  isMuted: boolean;
  has24Hours: boolean;
  /** The sender's. Undefined: nobody known sent it. */
  name: string | undefined;
}

function lookOf({ ui, people, has24Hours }: App, { id, sender_id }: Message): Look {
  return {
    isSelected: ui.selected.value === id,
    isEditing: ui.editing.value === id,
    isMuted: people.muted.value.has(sender_id),
    has24Hours,
    name: people.get(sender_id)?.full_name,
  };
}

const isAlike = (one: Look, other: Look): boolean =>
  one.isSelected === other.isSelected &&
  one.isEditing === other.isEditing &&
  one.isMuted === other.isMuted &&
  one.has24Hours === other.has24Hours &&
  one.name === other.name;

interface MessageProps {
  message: Message;
  /** The content with what was searched for marked. */
  marked: string | undefined;
  isFirst: boolean;
}

/** Drawn again only for another message, or when it looks different. */
export function MessageView({ message, marked, isFirst }: MessageProps) {
  const app = useApp();
  const before = useRef<Look>(undefined);
  const look = useComputed(() => {
    const now = lookOf(app, message);
    if (!before.current || !isAlike(before.current, now)) before.current = now;
    return before.current;
  });
  const { isSelected, isEditing, isMuted, has24Hours, name = message.sender_full_name } = look.value;
  // Only the message under the pointer has buttons: on all messages they would be most of the page.
  const isPointedAt = useSignal(false);
  const hasTools = (isPointedAt.value || isSelected) && !isEditing;
  const isWhole = !isMuted && !isEditing && !message.flags.includes("collapsed");
  const head = { message, name, has24Hours, hasTools };
  return (
    <article
      class={`message${isFirst ? " first" : ""}${isSelected ? " selected" : ""}${isMentioned(message) ? " mentioned" : ""}`}
      aria-label={`${name}, ${timeOf(message.timestamp, has24Hours)}`}
      data-message-id={message.id}
      data-unread={message.flags.includes("read") ? undefined : ""}
      onPointerEnter={(event) => {
        if (event.pointerType !== "touch") app.ui.pointAt(isPointedAt);
      }}
      onPointerLeave={() => app.ui.pointAt(undefined)}
    >
      <Gutter {...head} isFirst={isFirst} />
      <div class="message-body">
        {isFirst && !(isWhole && saysWhatIsDone(message)) && <Sender {...head} />}
        {isMuted ? (
          <Muted message={message} />
        ) : isEditing ? (
          <LazyEditor message={message} />
        ) : message.flags.includes("collapsed") ? (
          <Collapsed message={message} />
        ) : (
          <Body {...head} html={marked ?? message.content} />
        )}
        {message.reactions.length > 0 && <Reactions message={message} />}
      </div>
      {hasTools && <Tools message={message} />}
    </article>
  );
}

interface HeadProps {
  message: Message;
  name: string;
  has24Hours: boolean;
  hasTools: boolean;
}

/** The whole date and time, for the pointer alone: to format it for all messages is slow. */
const titleOf = ({ message, hasTools }: HeadProps) => (hasTools ? { title: fullTime(message.timestamp) } : {});

function Gutter(props: HeadProps & { isFirst: boolean }) {
  const { message, isFirst, name, has24Hours } = props;
  const app = useApp();
  if (!isFirst)
    return (
      <div class="gutter">
        <StarMark message={message} />
        <time class="gutter-time" {...titleOf(props)} dateTime={new Date(message.timestamp * 1000).toISOString()}>
          {timeOf(message.timestamp, has24Hours)}
        </time>
        <EditedMark message={message} />
      </div>
    );
  return (
    <button
      type="button"
      class="avatar-button"
      tabIndex={-1}
      aria-label={name}
      onClick={(event) => openPerson(app, message.sender_id, event.currentTarget)}
    >
      <Avatar user={app.people.get(message.sender_id)} name={name} />
    </button>
  );
}

function Sender(props: HeadProps) {
  const { message, name } = props;
  const app = useApp();
  const user = app.people.get(message.sender_id);
  return (
    <header class="sender">
      <button type="button" class="name" onClick={(event) => openPerson(app, message.sender_id, event.currentTarget)}>
        <bdi>{name}</bdi>
      </button>
      <StatusEmoji userId={message.sender_id} />
      {user?.is_bot && <span class="tag">{t.bot}</span>}
      {user?.role === roles.guest && <span class="tag">{t.guest}</span>}
      <Marks {...props} />
    </header>
  );
}

/** When it was said, and what became of it. */
function Marks(props: HeadProps) {
  const { message, has24Hours } = props;
  return (
    <>
      <time {...titleOf(props)} dateTime={new Date(message.timestamp * 1000).toISOString()}>
        {timeOf(message.timestamp, has24Hours)}
      </time>
      <EditedMark message={message} />
      <StarMark message={message} />
    </>
  );
}

function StarMark({ message }: { message: Message }) {
  if (!message.flags.includes("starred")) return null;
  return (
    <span class="star-mark" role="img" aria-label={t.isStarred} title={t.isStarred}>
      <Icon name="star" size={13} isFilled />
    </span>
  );
}

/** Whether it says what somebody does, after their name: by `/me`. */
const saysWhatIsDone = (message: Message): boolean => message.is_me_message === true && !widgetOf(message);

function Body(props: HeadProps & { html: string }) {
  const { message, name, html } = props;
  const app = useApp();
  const widget = widgetOf(message);
  if (widget) return <Widget message={message} widget={widget} />;
  const words = message.flags.includes("has_alert_word") ? alertWordsOf(app) : undefined;
  const marked = words && { words };
  if (saysWhatIsDone(message))
    return (
      <div class="me-message sender">
        <button type="button" class="name" onClick={(event) => openPerson(app, message.sender_id, event.currentTarget)}>
          <bdi>{name}</bdi>
        </button>
        <Content html={html.replace(/^<p>\/me /, "<p>")} {...marked} />
        <Marks {...props} />
      </div>
    );
  return <Content html={html} {...marked} />;
}

const alertWordsOf = (app: App): string[] => app.store.state.alert_words ?? [];

function EditedMark({ message }: { message: Message }) {
  const app = useApp();
  const at = message.last_edit_timestamp || message.last_moved_timestamp;
  if (!at) return null;
  return (
    <button
      type="button"
      class="edited"
      title={fullTime(at)}
      onClick={() => app.ui.openDialog(() => <LazyHistory message={message} />)}
    >
      {message.last_edit_timestamp ? t.edited : t.moved}
    </button>
  );
}

function Collapsed({ message }: { message: Message }) {
  const app = useApp();
  return (
    <p class="soft">
      <button type="button" class="link" onClick={() => void app.actions.collapse(message)}>
        {t.showCollapsed}
      </button>
    </p>
  );
}

function Muted({ message }: { message: Message }) {
  const isShown = useSignal(false);
  if (isShown.value) return <Content html={message.content} />;
  return (
    <p class="soft muted-message">
      {t.mutedPerson}{" "}
      <button type="button" class="link" onClick={() => (isShown.value = true)}>
        {t.reveal}
      </button>
    </p>
  );
}

function Tools({ message }: { message: Message }) {
  const app = useApp();
  if (!app.permissions.isLoggedIn) return null;
  return (
    <div class="message-tools" role="toolbar" aria-label={t.moreActions}>
      <button
        type="button"
        class="icon-button small"
        tabIndex={-1}
        aria-label={t.react}
        onClick={(event) =>
          openEmojiPicker(app, event.currentTarget, (emoji) => void app.actions.react(message, emoji))
        }
      >
        <Icon name="smile" size={16} />
      </button>
      <button
        type="button"
        class="icon-button small"
        tabIndex={-1}
        aria-label={t.reply}
        onClick={() => app.compose.reply(message)}
      >
        <Icon name="reply" size={16} />
      </button>
      <button
        type="button"
        class="icon-button small"
        tabIndex={-1}
        aria-label={message.flags.includes("starred") ? t.unstar : t.star}
        onClick={() => void app.actions.star(message)}
      >
        <Icon name="star" size={16} isFilled={message.flags.includes("starred")} />
      </button>
      <button
        type="button"
        class="icon-button small"
        tabIndex={-1}
        aria-label={t.moreActions}
        aria-haspopup="menu"
        onClick={(event) => openMessageMenu(app, event.currentTarget, message)}
      >
        <Icon name="more" size={16} />
      </button>
    </div>
  );
}

export function PendingView({ pending, isFirst }: { pending: Pending; isFirst: boolean }) {
  const app = useApp();
  const { me } = app.people;
  const name = me?.full_name ?? "";
  return (
    <article class={`message pending${isFirst ? " first" : ""} ${pending.state}`} aria-label={name}>
      {isFirst ? (
        <span class="avatar-button">
          <Avatar user={me} name={name} />
        </span>
      ) : (
        <span class="gutter-time" />
      )}
      <div class="message-body">
        {isFirst && (
          <header class="sender">
            <span class="name">{name}</span>
            <time>{timeOf(pending.at, app.has24Hours)}</time>
          </header>
        )}
        <div class="content plain" dir="auto">
          {pending.content}
        </div>
        {pending.state === "waiting" && <p class="send-state">{t.waiting}</p>}
        {pending.state === "failed" && (
          <p class="send-state problem" role="alert">
            {t.failed}: {pending.error}{" "}
            <button type="button" class="link" onClick={() => app.outbox.retry(pending.localId)}>
              {t.retry}
            </button>{" "}
            <button type="button" class="link" onClick={() => app.outbox.discard(pending.localId)}>
              {t.discard}
            </button>
          </p>
        )}
      </div>
    </article>
  );
}
