/** The box for writing messages. */
import { useEffect, useRef } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { conversationKey } from "../../model/drafts.ts";
import { placeName, topicName } from "../../model/route.ts";
import { t } from "../../texts.ts";
import { narrowOf } from "../../wire/narrow.ts";
import { confirmDialog } from "../frame/layers.tsx";
import { LazyNewDirect } from "../frame/lazy.tsx";
import { ComposeTarget } from "./compose-target.tsx";
import { SendTools } from "./compose-tools.tsx";
import { Outsiders } from "./outsiders.tsx";
import { type Input, WritingBox } from "./writing-box.tsx";

/** For so many subscribers, a wildcard mention needs confirmation. */
const askAbove = 15;

export function Compose() {
  const app = useApp();
  const isOpen = app.compose.hasPlace || app.compose.isOpen.value;
  if (!isOpen && app.permissions.isLoggedIn) return <Closed />;
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

/** No conversation is open: whoever writes says first to whom. */
function Closed() {
  const app = useApp();
  const { view } = app.route.place.value;
  const shown = (view === "messages" && app.open.list.value?.ids) || [];
  // Either may be of the place before.
  const id = [app.ui.selected.value, app.open.lowest.value].find((one) => one !== undefined && shown.includes(one));
  void app.lists.changes.value;
  const message = id === undefined ? undefined : app.lists.cache.get(id);
  return (
    <div class="compose closed" role="group" aria-label={t.compose}>
      {message && (
        <button type="button" class="button small" onClick={() => app.compose.reply(message)}>
          <span class="ellipsis">
            {t.replyTo(
              placeName(app, { view: "messages", narrow: narrowOf(app.conversationOf(message)), near: undefined }),
            )}
          </span>
        </button>
      )}
      <button type="button" class="button small quiet" onClick={() => app.compose.startTopic()}>
        {t.newTopic}
      </button>
      <button type="button" class="button small quiet" onClick={() => app.ui.openDialog(() => <LazyNewDirect />)}>
        {t.newDirect}
      </button>
    </div>
  );
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
  const input: Input = useRef(null);
  const isDragging = app.compose.isDragging.value;
  useFocusRequests(input);
  const send = async () => {
    const give = app.ui.focus.later();
    const audience = await app.compose.audienceOfWildcard();
    if (audience <= askAbove) {
      app.compose.send();
      give(input.current);
      return;
    }
    confirmDialog(app.ui, {
      title: t.sendAnyway,
      text: t.wildcardWarning(audience),
      action: t.send,
      run: () => app.compose.send(),
    });
  };
  return (
    <section
      class={`compose${isDragging ? " dragging" : ""}${app.compose.isExpanded.value ? " expanded" : ""}`}
      aria-label={t.compose}
    >
      <Writers />
      <ComposeTarget />
      <Outsiders />
      <WritingBox
        writing={app.compose}
        id="compose-text"
        label={t.compose}
        placeholder={placeholderOf(app)}
        input={input}
        submit={() => void send()}
        leave={() => input.current?.blur()}
        endTools={<SendTools send={() => void send()} />}
      />
      {isDragging && <p class="drop-hint">{t.dropFiles}</p>}
    </section>
  );
}

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
  return t.messageTo(topicName(app.channels.name(conversation.channelId), conversation.topic || t.generalChat));
}

/** Gives the box the focus when it is asked for. */
function useFocusRequests(input: Input): void {
  const { focusRequest } = useApp().compose;
  const asked = focusRequest.value;
  useEffect(() => {
    asked?.(input.current);
    // A box that comes later was not asked.
    focusRequest.value = undefined;
  }, [asked]);
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
