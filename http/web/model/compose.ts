/**
 * The message being written and its recipient. The recipient follows the open narrow, and each conversation has a
 * draft.
 */
import { computed, effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals";
import { storeOnce } from "../../client/persist.ts";
import type { Message, ScheduledMessage } from "../../client/types.ts";
import type { Give } from "../focus.ts";
import { t } from "../texts.ts";
import { ApiError, call, wordsOf } from "../wire/api.ts";
import { type Conversation, conversationOf, keyOf, type Narrow, narrowOf, termOf } from "../wire/narrow.ts";
import { type Channels, policies } from "./channels.ts";
import { conversationKey, conversationOfScheduled, type Drafts } from "./drafts.ts";
import type { FileSizes } from "./files/sizes.ts";
import type { OpenList } from "./open-list.ts";
import type { Outbox } from "./outbox.ts";
import { recipientOf } from "./outbox.ts";
import type { People } from "./people.ts";
import type { Route } from "./route.ts";
import type { Store } from "./store.ts";
import type { Typing } from "./typing.ts";
import type { Ui } from "./ui.ts";
import { Uploads, type Writing, withLine } from "./writing/writing.ts";

interface Parts {
  route: Route;
  drafts: Drafts;
  typing: Typing;
  outbox: Outbox;
  open: OpenList;
  store: Store;
  people: People;
  channels: Channels;
  ui: Ui;
  fileSizes: FileSizes;
}

/** The recipient, as far as the person has chosen it. */
export type Target =
  | { kind: "topic"; channelId: number | undefined; topic: string }
  | { kind: "direct"; userIds: readonly number[] };

const isSame = (one: Conversation | undefined, other: Conversation | undefined): boolean =>
  (one && conversationKey(one)) === (other && conversationKey(other));

export class Compose implements Writing {
  readonly target: Signal<Target> = signal({ kind: "topic", channelId: undefined, topic: "" });
  readonly text: Signal<string> = signal("");
  readonly uploads: Uploads;
  /** Whether files are held over the page. */
  readonly isDragging: Signal<boolean> = signal(false);
  /** Whether the box takes the whole height of the place. */
  readonly isExpanded: Signal<boolean> = signal(false);
  /** Gives the text box the focus when that is drawn. */
  readonly focusRequest: Signal<Give | undefined> = signal(undefined);
  /** Whether the person writes in a place that has no recipient of its own, such as a feed. */
  readonly isOpen: Signal<boolean> = signal(false);
  /** The conversation, when the recipient is complete. */
  readonly conversation: ReadonlySignal<Conversation | undefined>;
  /** A draft of the conversation that another text was addressed to: put before that text when it is written on. */
  #aside: string | undefined;
  /** The narrow that decided about the recipient last. */
  #followed: string | undefined;
  /** What is on its way to be sent later. */
  readonly #later = new Set<string>();

  constructor(private readonly app: Parts) {
    this.uploads = new Uploads(app);
    this.conversation = computed(() => {
      const target = this.target.value;
      if (target.kind === "direct") return target.userIds.length > 0 ? target : undefined;
      const { channelId, topic } = target;
      return channelId === undefined ? undefined : { kind: "topic", channelId, topic: topic.trim() };
    });
  }

  /** Follows the open narrow from now on, when the state and so the drafts are there. */
  follow(): void {
    effect(() => {
      const { narrow } = this.app.route.place.value;
      // The place alone: drafts, events or a state fetched again must not set the recipient back.
      untracked(() => this.#follow(narrow));
    });
  }

  /** The open narrow decides about the recipient, once: not again when the same one is shown again. */
  #follow(narrow: Narrow): void {
    const key = keyOf(narrow);
    if (key === this.#followed) return;
    this.#followed = key;
    this.isOpen.value = false;
    const conversation = conversationOf(narrow);
    const channelId = termOf(narrow, "channel")?.operand;
    if (conversation) this.setTarget(conversation);
    else if (typeof channelId === "number") this.setTarget({ kind: "topic", channelId, topic: "" });
  }

  /** Turns to another conversation and its draft. A text that has no topic or people yet comes along. */
  setTarget(target: Target): void {
    const before = this.#aim(target);
    const now = this.conversation.peek();
    if (!now || isSame(before, now)) return;
    const text = this.text.peek();
    const kept = this.app.drafts.textOf(now);
    // Nothing else holds a text without a recipient.
    const isUnkept = text !== "" && !before;
    const isUnplaced = text !== "" && before?.kind === "topic" && before.topic === "";
    if (isUnkept) this.#keep(now, withLine(kept, text));
    else if (isUnplaced && kept === "") this.#keep(now, text);
    else this.text.value = kept;
  }

  /** Gives what is being written another recipient. The text stays in the box, and its draft moves. */
  readdress(target: Target): void {
    const before = this.#aim(target);
    const now = this.conversation.peek();
    if (!now || isSame(before, now)) return;
    const { drafts } = this.app;
    const text = this.text.peek();
    const kept = drafts.textOf(now);
    if (text === "") this.text.value = kept;
    else if (kept === "") {
      if (before && drafts.textOf(before) === text) drafts.type(before, "");
      drafts.type(now, text);
    } // The topic may be half written, and be another one's name: that one's draft is left alone.
    else this.#aside = kept;
  }

  /** Returns the conversation that was meant before. */
  #aim(target: Target): Conversation | undefined {
    const before = this.conversation.peek();
    this.target.value = target;
    if (!isSame(before, this.conversation.peek())) {
      this.#aside = undefined;
      this.app.typing.stop();
    }
    return before;
  }

  #keep(conversation: Conversation, text: string): void {
    this.text.value = text;
    this.app.drafts.type(conversation, text);
  }

  /** Takes up the draft again, which was changed or sent elsewhere. */
  refresh(): void {
    const conversation = this.conversation.peek();
    if (conversation) this.text.value = this.app.drafts.textOf(conversation);
  }

  /** @param give the wish of what has waited since */
  focus(give: Give = this.app.ui.focus.later()): void {
    this.isOpen.value = true;
    this.focusRequest.value = give;
  }

  /** Whether the open place says to whom one writes there. */
  get hasPlace(): boolean {
    const { view, narrow } = this.app.route.place.value;
    return view === "messages" && (!!conversationOf(narrow) || typeof termOf(narrow, "channel")?.operand === "number");
  }

  /** Writes where one is, or begins something new. */
  begin(): void {
    if (this.hasPlace || this.isOpen.peek()) this.focus();
    else this.startTopic();
  }

  /** Begins a message whose recipient is not chosen yet. What was written elsewhere stays there as its draft. */
  startTopic(): void {
    if (this.#aim({ kind: "topic", channelId: undefined, topic: "" })) this.text.value = "";
    this.focus();
  }

  write(written: string): void {
    const text = this.#aside === undefined ? written : `${this.#aside.trimEnd()}\n${written}`;
    this.#aside = undefined;
    this.text.value = text;
    const conversation = this.conversation.peek();
    if (!conversation) return;
    this.app.drafts.type(conversation, text);
    if (text.trim() !== "") this.app.typing.write(conversation);
  }

  /** Appends text, on a line of its own. */
  append(text: string, give: Give): void {
    this.write(withLine(this.text.peek(), text));
    this.focus(give);
  }

  /** The reason why it cannot be sent. */
  problem(): string | undefined {
    const conversation = this.conversation.peek();
    if (!conversation) return this.target.peek().kind === "direct" ? t.needsPeople : t.needsChannel;
    if (this.uploads.running.peek().length > 0) return t.needsUploads;
    if (conversation.kind === "topic" && conversation.topic === "" && !this.#takesEmptyTopic(conversation.channelId))
      return t.needsTopic;
    return undefined;
  }

  #takesEmptyTopic(channelId: number): boolean {
    const own = this.app.channels.get(channelId)?.topics_policy ?? "inherit";
    const policy = own === "inherit" ? this.app.store.state["realm_topics_policy"] : own;
    return policy !== "disable_empty_topic";
  }

  /** Returns whether the message was accepted for sending. */
  send(): boolean {
    const content = this.text.peek().trim();
    const conversation = this.conversation.peek();
    if (content === "" || !this.sendText(content) || !conversation) return false;
    this.text.value = "";
    this.isExpanded.value = false;
    this.app.drafts.finish(conversation);
    return true;
  }

  /** Sends something else than the text that is being written. Returns whether it was accepted for sending. */
  sendText(content: string): boolean {
    const conversation = this.conversation.peek();
    const problem = this.problem();
    if (problem || !conversation) {
      this.app.ui.note(problem ?? "", "problem");
      return false;
    }
    this.app.typing.stop();
    this.app.outbox.send(conversation, content);
    this.#show(conversation);
    this.app.open.showEnd();
    return true;
  }

  /** Uploads what was recorded, and sends it. Returns whether it was accepted; why not is told in a note. */
  async sendSound(to: Conversation, file: File, title: string): Promise<boolean> {
    const isHere = this.app.route.staying();
    const link = await this.uploads.store(file);
    if (link === undefined) return false;
    this.app.outbox.send(to, link.replace(/^\[.*?\]/, `![${title}]`));
    if (!isHere()) return true;
    this.#show(to);
    this.app.open.showEnd();
    return true;
  }

  /** Opens the conversation, unless the open narrow shows it. */
  #show(conversation: Conversation): void {
    const open = conversationOf(this.app.route.place.peek().narrow);
    if (!open || conversationKey(open) !== conversationKey(conversation)) {
      const { view, narrow } = this.app.route.place.peek();
      const isSeen = view === "messages" && narrow.some(({ operator }) => operator === "in");
      if (!isSeen) this.app.route.open(narrowOf(conversation));
    }
  }

  /** @param at UNIX seconds. Returns whether the server agreed; why not is told in a note. */
  async sendLater(at: number): Promise<boolean> {
    const content = this.text.peek().trim();
    const conversation = this.conversation.peek();
    const problem = this.problem();
    if (content === "" || problem || !conversation) {
      if (problem) this.app.ui.note(problem, "problem");
      return false;
    }
    const isTaken = await this.schedule(conversation, content, at);
    if (isTaken) this.#finish(conversation, content);
    return isTaken;
  }

  /** @param at UNIX seconds. Returns whether the server agreed; why not is told in a note. */
  async schedule(conversation: Conversation, content: string, at: number): Promise<boolean> {
    const key = `${conversationKey(conversation)} ${content}`;
    // The one that is under way stays in the box until the server has it.
    if (this.#later.has(key)) return false;
    this.#later.add(key);
    try {
      const params = { ...recipientOf(conversation), content, scheduled_delivery_timestamp: at };
      await storeOnce(
        () => call("POST", "/scheduled_messages", params),
        () => this.#isScheduled(conversation, content, at),
      );
      this.app.ui.note(t.scheduled(new Date(at * 1000)), "done", {
        label: t.showScheduled,
        run: () => this.app.route.go("#scheduled"),
      });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.app.ui.note(wordsOf(error), "problem");
      return false;
    } finally {
      this.#later.delete(key);
    }
  }

  async #isScheduled(conversation: Conversation, content: string, at: number): Promise<boolean> {
    const { scheduled_messages: all } = await call<{ scheduled_messages: ScheduledMessage[] }>(
      "GET",
      "/scheduled_messages",
    );
    // Whether a direct message names its author among its people makes no difference.
    const withoutMe = (one: Conversation): Conversation =>
      one.kind === "direct" ? { ...one, userIds: one.userIds.filter((id) => id !== this.app.people.myId) } : one;
    return all.some(
      (one) =>
        one.content === content &&
        one.scheduled_delivery_timestamp === at &&
        isSame(withoutMe(conversationOfScheduled(one)), withoutMe(conversation)),
    );
  }

  /** Has the text gone that was sent, and its draft. What was written there meanwhile is another message. */
  #finish(conversation: Conversation, content: string): void {
    if (this.app.drafts.textOf(conversation).trim() !== content) return;
    if (isSame(this.conversation.peek(), conversation)) {
      this.text.value = "";
      this.isExpanded.value = false;
    }
    this.app.drafts.finish(conversation);
  }

  reply(message: Message): void {
    const me = this.app.people.myId;
    this.setTarget(
      message.type === "stream"
        ? { kind: "topic", channelId: message.stream_id, topic: message.subject }
        : {
            kind: "direct",
            userIds: message.display_recipient.map(({ id }) => id).filter((id) => id !== me),
          },
    );
    this.focus();
  }

  /** Replies so that the author is told. */
  replyWithMention(message: Message): void {
    this.reply(message);
    const author = this.app.people.get(message.sender_id);
    const mention = author ? this.app.people.mention(author) : `${message.sender_full_name}|${message.sender_id}`;
    const before = this.text.peek().trimEnd();
    this.write(`${before === "" ? "" : `${before} `}@**${mention}** `);
  }

  replyToAuthor(message: Message): void {
    this.setTarget({ kind: "direct", userIds: [message.sender_id] });
    this.focus();
  }

  /** Uploads files. Each finished upload appends a link to the text. */
  attach(files: Iterable<File>): void {
    const into = this.conversation.peek();
    const give = this.app.ui.focus.later();
    this.uploads.add(files, (link) => this.#place(into, link, give));
  }

  /** Appends a link to the draft that it was meant for, even when another one is open. */
  #place(conversation: Conversation | undefined, link: string, give: Give): void {
    const now = this.conversation.peek();
    if (!conversation || !now || conversationKey(conversation) === conversationKey(now)) this.append(link, give);
    else this.app.drafts.type(conversation, withLine(this.app.drafts.textOf(conversation), link));
  }

  /** How many people a wildcard mention in the text would notify; 0 without one. */
  async audienceOfWildcard(): Promise<number> {
    const conversation = this.conversation.peek();
    if (conversation?.kind !== "topic" || !/@\*\*(?:all|everyone|channel|stream)\*\*/.test(this.text.peek())) return 0;
    return this.app.channels.get(conversation.channelId)?.subscriber_count ?? 0;
  }

  isMuted(conversation: Conversation): boolean {
    return (
      conversation.kind === "topic" &&
      this.app.channels.policy(conversation.channelId, conversation.topic) === policies.muted
    );
  }
}
