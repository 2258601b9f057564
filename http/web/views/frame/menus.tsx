/** Menus of messages, topics and channels. They show only what the person may do. */

import { resolvedPrefix } from "../../../client/state/resolved.ts";
import type { Message } from "../../../client/types.ts";
import { type App, useApp } from "../../model/app.ts";
import { type Channel, policies } from "../../model/channels.ts";
import { type Emoji, quickReactions } from "../../model/emoji.ts";
import { liveFolders, moveFolder } from "../../model/lists/folders.ts";
import { withTex } from "../../model/lists/plain-words.ts";
import type { Ui } from "../../model/ui.ts";
import { t } from "../../texts.ts";
import { mutedNarrow, type Narrow, narrowOf, unfollowedNarrow } from "../../wire/narrow.ts";
import { forward, quote } from "../messages/quoting.ts";
import { inertDocumentOf } from "../messages/rendered-html.ts";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { confirmDialog, type MenuItem, MenuItems } from "./layers.tsx";
import { LazyHistory, LazyMove, LazyMoveTopic, LazyReceipts, LazyReminder, LazyReport } from "./lazy.tsx";

export function openMessageMenu(app: App, of: Element, message: Message): void {
  app.ui.openMenu(of, t.moreActions, () => (
    <>
      {app.ui.isTouched && <QuickReactions message={message} />}
      <MenuItems items={messageItems(app, of, message)} />
    </>
  ));
}

function QuickReactions({ message }: { message: Message }) {
  const app = useApp();
  const isMine = (emoji: Emoji): boolean =>
    message.reactions.some((one) => one.user_id === app.me && one.emoji_code === emoji.code);
  return (
    <div class="quick-reactions" role="group" aria-label={t.react}>
      {quickReactions.map((emoji) => (
        <button
          key={emoji.code}
          type="button"
          role="menuitemcheckbox"
          aria-checked={isMine(emoji)}
          aria-label={`${emoji.text} ${emoji.name.replaceAll("_", " ")}`}
          onClick={() => {
            app.ui.closeMenu();
            app.emoji.use(emoji);
            void app.actions.react(message, emoji);
          }}
        >
          {emoji.text}
        </button>
      ))}
    </div>
  );
}

type Items = (MenuItem | undefined | false)[];

const opening = (ui: Ui, content: Parameters<Ui["openDialog"]>[0]) => () => ui.openDialog(content);

function messageItems(app: App, of: Element, message: Message): Items {
  return [
    ...answeringItems(app, of, message),
    undefined,
    ...readingItems(app, message),
    undefined,
    ...endingItems(app, message),
  ];
}

/** What answers a message or changes it. */
function answeringItems(app: App, of: Element, message: Message): Items {
  const { actions, permissions, ui } = app;
  const channel = channelOf(app, message);
  const isResolved = message.subject.startsWith(resolvedPrefix);
  return [
    {
      icon: "smile",
      label: t.react,
      run: () => openEmojiPicker(app, of, (emoji) => void actions.react(message, emoji)),
    },
    { icon: "reply", label: t.reply, run: () => app.compose.reply(message) },
    { icon: "quote", label: t.quote, run: () => void quote(app, message) },
    { icon: "forward", label: t.forward, run: () => void forward(app, message) },
    permissions.edits(message)
      ? { icon: "draft", label: t.edit, run: () => ui.edit(message.id) }
      : { icon: "code", label: t.viewSource, run: () => ui.edit(message.id) },
    message.type === "stream" &&
      permissions.moves(message, channel) && {
        icon: "move",
        label: t.move,
        run: opening(ui, () => <LazyMove message={message} />),
      },
    channel &&
      permissions.resolves(channel) && {
        icon: "check",
        label: isResolved ? t.unresolve : t.resolve,
        run: () => void actions.resolve(channel.stream_id, message.subject),
      },
  ];
}

/** What a reader does with a message. */
function readingItems({ actions, permissions, ui }: App, message: Message): Items {
  return [
    {
      icon: "star",
      label: message.flags.includes("starred") ? t.unstar : t.star,
      run: () => void actions.star(message),
    },
    {
      icon: message.flags.includes("collapsed") ? "down" : "right",
      label: message.flags.includes("collapsed") ? t.showCollapsed : t.collapse,
      run: () => void actions.collapse(message),
    },
    { icon: "eyeOff", label: t.markUnread, run: () => void actions.markUnreadFrom(message) },
    { icon: "bell", label: t.remind, run: opening(ui, () => <LazyReminder message={message} />) },
    { icon: "link", label: t.copyLink, run: () => void actions.copyLink(message) },
    // A long press on the text opens this menu, and does not select the text.
    ui.isTouched && { icon: "copy", label: t.copyText, run: () => void actions.copy(textOf(message), t.copied) },
    permissions.seesHistory && {
      icon: "recent",
      label: t.editHistory,
      run: opening(ui, () => <LazyHistory message={message} />),
    },
    permissions.seesReceipts && {
      icon: "checks",
      label: t.readReceipts,
      run: opening(ui, () => <LazyReceipts message={message} />),
    },
  ];
}

/** What may end a message. */
function endingItems(app: App, message: Message): Items {
  const { permissions, store, ui } = app;
  const channel = channelOf(app, message);
  return [
    (store.state.realm_moderation_request_channel_id ?? -1) > 0 &&
      message.sender_id !== app.me && {
        icon: "flag",
        label: t.report,
        run: opening(ui, () => <LazyReport message={message} />),
      },
    permissions.deletes(message, channel) && {
      icon: "trash",
      label: t.delete,
      isDangerous: true,
      run: () => confirmDelete(app, message),
    },
  ];
}

const textOf = ({ content }: Message): string => inertDocumentOf(withTex(content)).body.innerText.trim();

const channelOf = ({ channels }: App, message: Message): Channel | undefined =>
  message.type === "stream" ? channels.get(message.stream_id) : undefined;

export function confirmDelete(app: App, message: Message): void {
  confirmDialog(app.ui, {
    title: t.deleteMessage,
    text: t.deleteMessageHint,
    action: t.delete,
    run: () => void app.actions.delete(message.id),
  });
}

export function openTopicMenu(app: App, of: Element, channelId: number, topic: string): void {
  const { actions, channels, permissions } = app;
  const channel = channels.get(channelId);
  const policy = channels.policy(channelId, topic);
  const set = (wanted: number) => () =>
    void actions.setPolicy(channelId, topic, policy === wanted ? policies.inherit : wanted);
  app.ui.openMenu(of, t.topicActions, () => (
    <MenuItems
      items={[
        { icon: "bell", label: policy === policies.followed ? t.unfollow : t.follow, run: set(policies.followed) },
        { icon: "mute", label: policy === policies.muted ? t.unmute : t.mute, run: set(policies.muted) },
        channel?.is_muted === true && policy !== policies.unmuted && { label: t.unmute, run: set(policies.unmuted) },
        undefined,
        { icon: "eye", label: t.markRead, run: () => void actions.markRead({ kind: "topic", channelId, topic }) },
        permissions.resolves(channel) && {
          icon: "check",
          label: topic.startsWith(resolvedPrefix) ? t.unresolve : t.resolve,
          run: () => void actions.resolve(channelId, topic),
        },
        permissions.movesTopics(channel) && {
          icon: "move",
          label: t.moveTopic,
          run: opening(app.ui, () => <LazyMoveTopic from={{ channelId, topic }} />),
        },
        permissions.isAdmin && {
          icon: "trash",
          label: t.deleteTopic,
          isDangerous: true,
          run: () =>
            confirmDialog(app.ui, {
              title: t.deleteTopic,
              text: t.deleteTopicHint,
              action: t.delete,
              run: () => void actions.try("POST", `/streams/${channelId}/delete_topic`, { topic_name: topic }),
            }),
        },
        {
          icon: "link",
          label: t.copyLink,
          run: () => void copyLinkTo(app, narrowOf({ kind: "topic", channelId, topic })),
        },
      ]}
    />
  ));
}

/** What is marked as read at once. */
export function openReadMenu({ actions, ui }: App, of: Element): void {
  ui.openMenu(of, t.markManyRead, () => (
    <MenuItems
      items={[
        { icon: "checks", label: t.commandTexts.markAllRead, run: () => void actions.markRead("everything") },
        { icon: "mute", label: t.commandTexts.markMutedRead, run: () => void actions.markNarrowRead(mutedNarrow) },
        {
          icon: "bell",
          label: t.commandTexts.markUnfollowedRead,
          run: () => void actions.markNarrowRead(unfollowedNarrow),
        },
      ]}
    />
  ));
}

const copyLinkTo = ({ actions, route }: App, narrow: Narrow): Promise<void> =>
  actions.copy(`${location.origin}/${route.link(narrow)}`, t.linkCopied);

export function openChannelMenu(app: App, of: Element, channelId: number): void {
  const { actions, channels } = app;
  const channel = channels.get(channelId);
  if (!channel) return;
  const isSubscribed = channels.isSubscribed(channelId);
  const toggle = (property: string, isOn: boolean) => () => void actions.setSubscription(channelId, property, !isOn);
  app.ui.openMenu(of, t.channelActions, () => (
    <MenuItems
      items={[
        { icon: "eye", label: t.markRead, run: () => void actions.markRead({ kind: "channel", channelId }) },
        isSubscribed && {
          icon: "mute",
          label: channel.is_muted ? t.unmute : t.mute,
          run: toggle("is_muted", channel.is_muted === true),
        },
        isSubscribed && {
          icon: "pin",
          label: channel.pin_to_top ? t.unpin : t.pin,
          run: toggle("pin_to_top", channel.pin_to_top === true),
        },
        app.permissions.administers(channel) &&
          liveFolders(app).length > 0 && {
            icon: "folder",
            label: t.moveToFolder,
            run: () => openFolderChoice(app, of, channelId),
          },
        { icon: "list", label: t.moreTopics, run: () => app.route.go(app.route.linkToTopics(channelId)) },
        {
          icon: "link",
          label: t.copyLink,
          run: () => void copyLinkTo(app, [{ operator: "channel", operand: channelId }]),
        },
        { icon: "settings", label: t.channelSettings, run: () => app.route.go(`#channels/${channelId}`) },
        undefined,
        isSubscribed
          ? { icon: "door", label: t.unsubscribe, isDangerous: true, run: () => void actions.unsubscribe(channelId) }
          : { icon: "plus", label: t.subscribe, run: () => void actions.subscribe(channelId) },
      ]}
    />
  ));
}

/** The folders that a channel may be moved to. */
function openFolderChoice(app: App, of: Element, channelId: number): void {
  const channel = app.channels.get(channelId);
  if (!channel) return;
  app.ui.openMenu(of, t.moveToFolder, () => (
    <MenuItems
      items={[{ id: null, name: t.noFolder }, ...liveFolders(app)].map(({ id, name }) => ({
        label: name,
        isChecked: channel.folder_id === id,
        run: () => void app.actions.try("PATCH", `/streams/${channelId}`, { folder_id: id }),
      }))}
    />
  ));
}

export function openFolderMenu(app: App, of: Element, folderId: number): void {
  const folders = liveFolders(app);
  const at = folders.findIndex(({ id }) => id === folderId);
  app.ui.openMenu(of, t.folderActions, () => (
    <MenuItems
      items={[
        at > 0 && { label: t.moveUp, run: () => void moveFolder(app, folderId, at - 1) },
        at < folders.length - 1 && { label: t.moveDown, run: () => void moveFolder(app, folderId, at + 1) },
        { icon: "settings", label: t.editFolders, run: () => app.route.go("#organization/folders") },
      ]}
    />
  ));
}
