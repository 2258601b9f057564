/** The box for writing messages. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { complete } from "../../model/completion.ts";
import { conversationKey } from "../../model/drafts.ts";
import { t } from "../../texts.ts";
import { confirmDialog } from "../frame/layers.tsx";
import { LazyPickTime, LazyPoll } from "../frame/lazy.tsx";
import { Content } from "../messages/content.tsx";
import { openEmojiPicker } from "../parts/emoji-picker.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { Completions } from "./completions.tsx";
import { ComposeTarget } from "./compose-target.tsx";

/** For so many subscribers, a wildcard mention needs confirmation. */
const askAbove = 15;
const maxHeightShare = 0.4;
/** Whether the box grows with its text by CSS alone. The style sheet limits how far. */
const growsByItself = CSS.supports("field-sizing", "content");

export function Compose() {
  const app = useApp();
  const obstacle = obstacleOf(app);
  if (obstacle !== undefined)
    return (
      <div class="compose obstacle">
        <p>{obstacle}</p>
        {!app.permissions.isLoggedIn && (
          <a class="button small" href="/login/">
            {t.logIn}
          </a>
        )}
      </div>
    );
  return <ComposeBox />;
}

/** The reason why the person cannot write here. */
function obstacleOf(app: App): string | undefined {
  if (!app.permissions.isLoggedIn) return t.logInToWrite;
  const target = app.compose.target.value;
  const channel =
    target.kind === "topic" && target.channelId !== undefined ? app.channels.get(target.channelId) : undefined;
  if (!channel) return undefined;
  if (channel.is_archived) return t.archivedChannel;
  return app.permissions.sendsTo(channel) ? undefined : t.mayNotPost;
}

function ComposeBox() {
  const app = useApp();
  const { compose } = app;
  const input = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const previewed = useSignal<{ of: string; html: string } | undefined>(undefined);
  const isDragging = useSignal(false);
  const caret = useSignal(0);
  const text = compose.text.value;
  // One that comes late must not lie over what was written since.
  const preview = previewed.value?.of === text ? previewed.value.html : undefined;

  useLayoutEffect(() => {
    const box = input.current;
    if (!box || growsByItself) return;
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight, innerHeight * maxHeightShare)}px`;
  }, [text, preview]);
  const asked = compose.focusRequests.value;
  useEffect(() => {
    if (asked === 0) return;
    input.current?.focus();
    // A box that comes later was not asked.
    compose.focusRequests.value = 0;
  }, [asked]);

  const send = async () => {
    const audience = await compose.audienceOfWildcard();
    previewed.value = undefined;
    if (audience <= askAbove) {
      compose.send();
      input.current?.focus();
      return;
    }
    confirmDialog(app.ui, {
      title: t.sendAnyway,
      text: t.wildcardWarning(audience),
      action: t.send,
      run: () => compose.send(),
    });
  };
  const togglePreview = async () => {
    if (preview !== undefined) {
      previewed.value = undefined;
      requestAnimationFrame(() => input.current?.focus());
      return;
    }
    const answer = await app.actions.try<{ rendered: string }>("POST", "/messages/render", { content: text });
    previewed.value = answer && { of: text, html: answer.rendered };
  };
  // A picker may be open still when its box is gone.
  const insert = (insertion: Insertion) =>
    input.current && insertInto(input.current, insertion, (next) => compose.write(next));

  return (
    <section
      class={`compose${isDragging.value ? " dragging" : ""}`}
      aria-label={t.compose}
      onDragOver={(event) => {
        event.preventDefault();
        isDragging.value = true;
      }}
      onDragLeave={() => (isDragging.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isDragging.value = false;
        if (event.dataTransfer) compose.attach(event.dataTransfer.files);
      }}
    >
      <Writers />
      <ComposeTarget />
      <div class="compose-box">
        {preview === undefined ? (
          <Completions
            input={input}
            text={text}
            caret={caret.value}
            find={(before) =>
              complete({ ...parts(app), topicsOf: (id) => app.topics.of(id)?.map(({ name }) => name) ?? [] }, before)
            }
            write={(next) => compose.write(next)}
          >
            {(aria, completesKey) => (
              <textarea
                {...aria}
                ref={input}
                id="compose-text"
                dir="auto"
                rows={1}
                placeholder={placeholderOf(app)}
                aria-label={t.compose}
                value={text}
                onInput={(event) => {
                  caret.value = event.currentTarget.selectionStart;
                  compose.write(event.currentTarget.value);
                }}
                onSelect={(event) => (caret.value = event.currentTarget.selectionStart)}
                onPaste={(event) => {
                  const files = [...(event.clipboardData?.files ?? [])];
                  if (files.length === 0) return;
                  event.preventDefault();
                  compose.attach(files);
                }}
                onKeyDown={(event) => {
                  if (completesKey(event) || event.isComposing) return;
                  const sendsByEnter = app.store.state.user_settings?.["enter_sends"] === true;
                  if (event.key === "Enter" && (event.ctrlKey || event.metaKey || (sendsByEnter && !event.shiftKey))) {
                    event.preventDefault();
                    void send();
                  } else if (event.key === "Escape") input.current?.blur();
                  else if (event.altKey && event.key === "p") {
                    event.preventDefault();
                    void togglePreview();
                  } else if ((event.ctrlKey || event.metaKey) && shortcuts[event.key]) {
                    event.preventDefault();
                    insert(shortcuts[event.key]!);
                  } else if (event.key === "ArrowUp" && text === "" && editLast(app)) event.preventDefault();
                }}
              />
            )}
          </Completions>
        ) : (
          <div class="preview" role="region" aria-label={t.preview} tabIndex={0}>
            <Content html={preview} />
          </div>
        )}
        <Uploads />
        <div class="compose-tools">
          <Tool icon="attach" label={t.attach} run={() => picker.current!.click()} />
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              compose.attach(event.currentTarget.files ?? []);
              event.currentTarget.value = "";
            }}
          />
          <button
            type="button"
            class="icon-button small"
            aria-label={t.emoji}
            title={t.emoji}
            onClick={(event) =>
              openEmojiPicker(app, event.currentTarget, (emoji) => insert({ before: `:${emoji.name}: `, after: "" }))
            }
          >
            <Icon name="smile" size={17} />
          </button>
          <span class="format-tools">
            {formats.map(([icon, label, insertion]) => (
              <Tool key={label} icon={icon} label={label} run={() => insert(insertion)} />
            ))}
          </span>
          <Tool icon="poll" label={t.makePoll} run={() => app.ui.openDialog(() => <LazyPoll />)} />
          <span class="space" />
          <button
            type="button"
            class="link quiet"
            aria-pressed={preview !== undefined}
            onClick={() => void togglePreview()}
          >
            {preview === undefined ? t.preview : t.write}
          </button>
          <Tool icon="clock" label={t.sendLater} run={() => app.ui.openDialog(() => <LazyPickTime />)} />
          <button
            type="button"
            class="button send"
            disabled={text.trim() === ""}
            aria-label={t.send}
            title={t.sendByKeys}
            onClick={() => void send()}
          >
            <Icon name="send" size={17} />
          </button>
        </div>
        {isDragging.value && <p class="drop-hint">{t.dropFiles}</p>}
      </div>
    </section>
  );
}

const parts = ({ people, channels, emoji, store }: App) => ({ people, channels, emoji, store });

function placeholderOf(app: App): string {
  const conversation = app.compose.conversation.value;
  if (!conversation) return t.compose;
  if (conversation.kind === "direct")
    return t.messageTo(
      conversation.userIds
        .filter((id) => id !== app.me)
        .map((id) => app.people.name(id))
        .join(", ") || t.notesToSelf,
    );
  return t.messageTo(`#${app.channels.name(conversation.channelId)} › ${conversation.topic || t.generalChat}`);
}

/** Edits the person's last message of the open list that may be edited. Returns whether there is one. */
export function editLast(app: App): boolean {
  const ids = app.open.list.peek()?.ids ?? [];
  const last = ids.findLast((id) => {
    const message = app.lists.cache.get(id);
    return message !== undefined && app.permissions.edits(message);
  });
  if (last === undefined) return false;
  app.ui.editing.value = last;
  return true;
}

interface Insertion {
  before: string;
  after: string;
  /** Prefix of each selected line. */
  line?: string;
}

const formats: readonly (readonly [IconName, string, Insertion])[] = [
  ["bold", t.bold, { before: "**", after: "**" }],
  ["italic", t.italic, { before: "*", after: "*" }],
  ["link", t.link, { before: "[", after: "](https://)" }],
  ["list", t.list, { before: "", after: "", line: "- " }],
  ["quote", t.quoteBlock, { before: "```quote\n", after: "\n```" }],
  ["code", t.code, { before: "```\n", after: "\n```" }],
  ["eyeOff", t.spoilerBlock, { before: "```spoiler \n", after: "\n```" }],
  ["math", t.math, { before: "$$", after: "$$" }],
];

const shortcuts: Readonly<Record<string, Insertion>> = {
  b: { before: "**", after: "**" },
  i: { before: "*", after: "*" },
  L: { before: "[", after: "](https://)" },
};

/** Puts marks around the selection as if they were typed, so that undo works. */
export function insertInto(
  box: HTMLTextAreaElement,
  { before, after, line }: Insertion,
  write: (text: string) => void,
): void {
  const { selectionStart: from, selectionEnd: to, value } = box;
  const chosen = value.slice(from, to);
  const inner = line === undefined ? chosen : chosen.replace(/^/gm, line);
  const next = value.slice(0, from) + before + inner + after + value.slice(to);
  write(next);
  box.value = next;
  box.focus();
  box.setSelectionRange(from + before.length, from + before.length + inner.length);
}

function Tool({ icon, label, run }: { icon: IconName; label: string; run(): void }) {
  return (
    <button type="button" class="icon-button small" aria-label={label} title={label} onClick={run}>
      <Icon name={icon} size={17} />
    </button>
  );
}

function Uploads() {
  const { compose } = useApp();
  if (compose.uploads.value.length === 0) return null;
  return (
    <ul class="uploads">
      {compose.uploads.value.map(({ key, name, share, cancel }) => (
        <li key={key}>
          <progress value={share} max={1} aria-label={name} />
          <span class="ellipsis">{t.uploading(name, share)}</span>
          <button type="button" class="link" onClick={cancel}>
            {t.cancel}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Writers() {
  const app = useApp();
  const conversation = app.compose.conversation.value;
  const writers = conversation ? app.typing.writers.value.get(conversationKey(conversation)) : undefined;
  return (
    <p class="writers" role="status">
      {writers && writers.length > 0 ? t.isTyping(writers.map((id) => app.people.name(id))) : ""}
    </p>
  );
}
