/**
 * The commands of the page: what each is called, its keys, and what it does. The keyboard, the list of keys and the
 * palette come from this table. The keys are those of Zulip's page.
 */

import type { Message } from "../../../client/types.ts";
import type { CommandId } from "../../languages/en/commands.ts";
import type { App } from "../../model/app.ts";
import { policies } from "../../model/channels.ts";
import type * as Table from "../../model/finding/commands.ts";

import { t } from "../../texts.ts";
import { mutedNarrow, narrowOf, reactionsTo, unfollowedNarrow } from "../../wire/narrow.ts";
import { editLast } from "../compose/edit-last.ts";
import { forward, quote, selectedMessage } from "../messages/quoting.ts";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { openPerson } from "../parts/person-card.tsx";
import {
  LazyHistory,
  LazyJumpToDate,
  LazyMove,
  LazyNewDirect,
  LazyPalette,
  LazyReceipts,
  LazyStatus,
} from "./lazy.tsx";
import { openMessageMenu } from "./menus.tsx";
import { channelHere, current, cycle, elementOf, goCloser, nextUnread, select, showPicture } from "./moving.ts";

type Run = (app: App) => void;
type Command = Table.Command<App>;

const on = (
  id: CommandId,
  keys: readonly string[],
  run: (app: App, message: Message, element: Element) => void,
  more: Omit<Command, "id" | "keys" | "run"> = {},
): Command => ({
  id,
  keys,
  run: (app) => {
    const message = current(app);
    if (message) run(app, message, elementOf(message) ?? document.body);
  },
  ...more,
  isAllowed: (app) => current(app) !== undefined && (more.isAllowed?.(app) ?? true),
});

const step = (id: CommandId, keys: readonly string[], run: Run): Command => ({
  id,
  keys,
  run,
  forReaders: true,
  isStep: true,
});

const look = (id: CommandId, keys: readonly string[], run: Run): Command => ({ id, keys, run, forReaders: true });

const ofList = (id: CommandId, keys: readonly string[], run: Run): Command => ({
  ...look(id, keys, run),
  isAllowed: ({ route }) => route.place.peek().view === "messages",
});

const go = (id: CommandId, keys: readonly string[], hash: string): Command => ({
  id,
  keys,
  run: (app) => app.route.go(hash),
});

const page = (share: number) => (): void => {
  const list = document.querySelector(".virtual-list");
  list?.scrollBy({ top: list.clientHeight * share });
};

const focus = (selector: string) => (): void => document.querySelector<HTMLElement>(selector)?.focus();

/** Of the box that one writes in, or else of the first one. */
function openSnippets(): void {
  const box = document.activeElement?.closest(".compose") ?? document;
  const buttons = [...box.querySelectorAll<HTMLElement>(".compose-tools button")];
  buttons.find((button) => button.ariaLabel === t.snippets)?.click();
}

const moving: readonly Command[] = [
  step("nextMessage", ["j", "ArrowDown"], (app) => select(app, 1)),
  step("previousMessage", ["k", "ArrowUp"], (app) => select(app, -1)),
  step("pageDown", ["J", "PageDown", " "], page(0.9)),
  step("pageUp", ["K", "PageUp"], page(-0.9)),
  ofList("newest", ["G", "End"], (app) => app.open.jumpToNewest()),
  ofList("oldest", ["Home"], (app) => app.open.jumpToOldest()),
  { id: "nextUnread", keys: ["n"], run: (app) => nextUnread(app, "topic") },
  { id: "nextFollowed", keys: ["N"], run: (app) => nextUnread(app, "followed") },
  { id: "nextDirect", keys: ["p"], run: (app) => nextUnread(app, "direct") },
  step("channelAbove", ["A"], (app) => cycle(app, -1)),
  step("channelBelow", ["D"], (app) => cycle(app, 1)),
  ofList("jumpToDate", [], (app) => app.ui.openDialog(() => <LazyJumpToDate />)),
];

const writing: readonly Command[] = [
  on("reply", ["r", "Enter"], (app, message) => app.compose.reply(message)),
  on("replyAlone", ["R"], (app, message) => {
    app.compose.replyToAuthor(message);
    app.route.open(narrowOf({ kind: "direct", userIds: [message.sender_id] }));
  }),
  on("replyMentioning", ["@"], (app, message) => app.compose.replyWithMention(message)),
  on("quote", [">"], (app, message) => void quote(app, selectedMessage(app) ?? message)),
  on("forward", ["<"], (app, message) => void forward(app, selectedMessage(app) ?? message)),
  { id: "write", keys: ["c"], run: (app) => app.compose.begin() },
  { id: "newDirect", keys: ["x"], run: (app) => app.ui.openDialog(() => <LazyNewDirect />) },
  { id: "editLast", keys: ["ArrowLeft"], run: (app) => void editLast(app) },
  { id: "sendIt", keys: ["Ctrl+Enter"] },
  { id: "bold", keys: ["Ctrl+b"] },
  { id: "italic", keys: ["Ctrl+i"] },
  { id: "link", keys: ["Ctrl+Shift+l"] },
  { id: "inlineCode", keys: ["Ctrl+Shift+c"] },
  { id: "preview", keys: ["Alt+p"] },
  { id: "snippets", keys: ["Ctrl+'"], run: openSnippets, isStep: true },
];

const finding: readonly Command[] = [
  look("palette", ["Ctrl+k"], (app) => app.ui.openDialog(() => <LazyPalette />)),
  look("search", ["/"], focus("#search")),
  look("findChannel", ["q"], focus("#filter-channels")),
  {
    id: "findPeople",
    keys: ["w"],
    run: (app) => {
      const give = app.ui.focus.later();
      app.ui.isRightOpen.value = true;
      requestAnimationFrame(() => give(document.querySelector<HTMLElement>("#find-people")));
    },
  },
];

const aboutMessage: readonly Command[] = [
  on("goCloser", ["s"], goCloser, { forReaders: true }),
  on(
    "toChannel",
    ["S"],
    (app, message) => {
      if (message.type === "stream") app.route.open([{ operator: "channel", operand: message.stream_id }], message.id);
      else app.route.open([{ operator: "is", operand: "dm" }], message.id);
    },
    { forReaders: true },
  ),
  on(
    "showAround",
    ["z"],
    (app, message) => {
      app.route.open(narrowOf(app.conversationOf(message)), message.id);
      app.reading.isPaused = true;
    },
    { forReaders: true },
  ),
  on("author", ["u"], (app, message, element) => openPerson(app, message.sender_id, element), { forReaders: true }),
  on("edit", ["e"], (app, message) => app.ui.edit(message.id)),
  on("move", ["m"], (app, message) => {
    if (message.type === "stream") app.ui.openDialog(() => <LazyMove message={message} />);
  }),
  on("muteTopic", ["M"], (app, message) => {
    if (message.type !== "stream") return;
    const { stream_id: channelId, subject } = message;
    const policy = app.channels.isMuted(channelId, subject) ? policies.inherit : policies.muted;
    void app.actions.setPolicy(channelId, subject, policy);
  }),
  on("markUnread", ["U"], (app, message) => void app.actions.markUnreadFrom(message)),
  on("thumbsUp", ["+"], (app, message) => {
    const emoji = app.emoji.byName("+1") ?? { name: "+1", code: "1f44d", type: "unicode_emoji" as const, text: "👍" };
    void app.actions.react(message, emoji);
  }),
  on("addToFirst", ["="], (app, message) => {
    const first = message.reactions[0];
    if (first) void app.actions.react(message, first);
  }),
  on("react", [":"], (app, message, element) =>
    openEmojiPicker(app, element, (emoji) => void app.actions.react(message, emoji)),
  ),
  on("star", ["Ctrl+s"], (app, message) => void app.actions.star(message)),
  on("showImage", ["v"], (app, _message, element) => showPicture(app, element), { forReaders: true }),
  on("receipts", ["V"], (app, message) => app.ui.openDialog(() => <LazyReceipts message={message} />), {
    isAllowed: ({ permissions }) => permissions.seesReceipts,
  }),
  on("history", ["H"], (app, message) => app.ui.openDialog(() => <LazyHistory message={message} />), {
    isAllowed: ({ permissions }) => permissions.seesHistory,
  }),
  on("collapse", ["-"], (app, message) => void app.actions.collapse(message)),
  on("messageMenu", ["i"], (app, message, element) => openMessageMenu(app, element, message)),
];

const places: readonly Command[] = [
  go("inbox", ["I"], "#inbox"),
  go("recent", ["t"], "#recent"),
  { ...go("feed", ["a"], "#feed"), forReaders: true },
  {
    id: "topics",
    keys: ["Y"],
    run: (app) => {
      const channelId = channelHere(app);
      if (channelId !== undefined) app.route.go(app.route.linkToTopics(channelId));
    },
    forReaders: true,
    isAllowed: (app) => channelHere(app) !== undefined,
  },
  go("mentions", [], "#narrow/is/mentioned"),
  go("starred", ["*"], "#narrow/is/starred"),
  {
    id: "reactions",
    keys: [],
    run: (app) => app.route.open(reactionsTo(app.me)),
  },
  go("directs", ["P"], "#narrow/is/dm"),
  go("drafts", ["d"], "#drafts"),
  go("scheduled", [], "#scheduled"),
  go("reminders", [], "#reminders"),
  { id: "deleteDraft", keys: ["Backspace"] },
  {
    id: "toWritten",
    keys: ["Ctrl+."],
    run: (app) => {
      const conversation = app.compose.conversation.peek();
      if (conversation) app.route.open(narrowOf(conversation));
    },
  },
  { id: "menu", keys: ["g"], run: () => document.querySelector<HTMLElement>(".me-button")?.click(), isStep: true },
  { ...go("keyboard", ["?"], "#keyboard"), forReaders: true },
  { id: "leave", keys: ["Escape", "Ctrl+["] },
];

const managing: readonly Command[] = [
  { id: "setStatus", keys: [], run: (app) => app.ui.openDialog(() => <LazyStatus />) },
  { id: "markAllRead", keys: [], run: (app) => void app.actions.markRead("everything") },
  { id: "markMutedRead", keys: [], run: (app) => void app.actions.markNarrowRead(mutedNarrow) },
  { id: "markUnfollowedRead", keys: [], run: (app) => void app.actions.markNarrowRead(unfollowedNarrow) },
  go("settings", [], "#settings/profile"),
  go("browseChannels", [], "#channels"),
  go("createChannel", [], "#channels/new"),
  go("groups", [], "#groups"),
  {
    ...go("invite", [], "#invite"),
    isAllowed: ({ store, permissions }) => store.state["can_invite_others_to_realm"] === true && !permissions.isGuest,
  },
  go("organization", [], "#organization/profile"),
];

/** All commands by subject, in the order of the list of keys. */
export const commandGroups: readonly Table.CommandGroup<App>[] = [
  { id: "moving", commands: moving },
  { id: "finding", commands: finding },
  { id: "writing", commands: writing },
  { id: "message", commands: aboutMessage },
  { id: "places", commands: places },
  { id: "managing", commands: managing },
];
