/** The recipient of the message: shown, or chosen here. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { conversationOf } from "../../wire/narrow.ts";
import { ChannelMark } from "../parts/channel-mark.tsx";
import { Icon } from "../parts/icons.tsx";

export function ComposeTarget() {
  const app = useApp();
  const target = app.compose.target.value;
  const isFixed = conversationOf(app.route.place.value.narrow) !== undefined && isOpenOne(app);
  if (isFixed) return null;
  if (target.kind === "direct") return <People userIds={target.userIds} />;
  return <ChannelAndTopic channelId={target.channelId} topic={target.topic} />;
}

/** Whether the message goes to the open conversation, which needs no mention. */
function isOpenOne(app: ReturnType<typeof useApp>): boolean {
  const open = conversationOf(app.route.place.value.narrow);
  const target = app.compose.target.value;
  if (open?.kind === "direct" && target.kind === "direct") return open.userIds.join() === target.userIds.join();
  return (
    open?.kind === "topic" &&
    target.kind === "topic" &&
    open.channelId === target.channelId &&
    open.topic === target.topic
  );
}

/** Chooses a channel, or to write to people. */
function Channel({ chosen, topic = "" }: { chosen: number | "direct" | undefined; topic?: string }) {
  const app = useApp();
  // There may be thousands of channels. They are listed when the pointer or the focus comes, before the list opens.
  const isListed = useSignal(false);
  const listed = isListed.value
    ? app.channels.subscribed.value.filter((channel) => !channel.is_archived)
    : [typeof chosen === "number" ? app.channels.get(chosen) : undefined].filter((channel) => channel !== undefined);
  const list = () => {
    isListed.value = true;
  };
  const choose = (value: string) =>
    app.compose.readdress(
      value === "direct"
        ? { kind: "direct", userIds: [] }
        : { kind: "topic", channelId: Number(value) || undefined, topic },
    );
  return (
    <select
      id="compose-channel"
      aria-label={t.channel}
      value={chosen ?? ""}
      onFocus={list}
      onPointerEnter={list}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      <option value="">{t.chooseChannel}</option>
      <option value="direct">{t.newDirect}</option>
      {listed.map(({ stream_id, name }) => (
        <option key={stream_id} value={stream_id}>
          {name}
        </option>
      ))}
    </select>
  );
}

function ChannelAndTopic({ channelId, topic }: { channelId: number | undefined; topic: string }) {
  const app = useApp();
  const topics = channelId === undefined ? [] : (app.topics.of(channelId) ?? []);
  const maxLength = app.store.state.max_topic_length;
  const areTopicsListed = useSignal(false);
  const listTopics = () => {
    areTopicsListed.value = true;
  };
  return (
    <div class="compose-target">
      {channelId === undefined ? <Icon name="hash" size={15} /> : <ChannelMark channelId={channelId} />}
      <Channel chosen={channelId} topic={topic} />
      <span class="soft" aria-hidden="true">
        ›
      </span>
      <input
        id="compose-topic"
        aria-label={t.topic}
        placeholder={t.topic}
        value={topic}
        list="compose-topics"
        dir="auto"
        autocomplete="off"
        onFocus={listTopics}
        onPointerEnter={listTopics}
        {...(maxLength && { maxLength })}
        onInput={(event) => app.compose.readdress({ kind: "topic", channelId, topic: event.currentTarget.value })}
      />
      <datalist id="compose-topics">
        {(areTopicsListed.value ? topics.slice(0, 50) : []).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  );
}

function People({ userIds }: { userIds: readonly number[] }) {
  const app = useApp();
  const text = useSignal("");
  const found =
    text.value.trim() === "" ? [] : app.people.search(text.value, 6, ({ user_id }) => !userIds.includes(user_id));
  const add = (userId: number) => {
    text.value = "";
    app.compose.readdress({ kind: "direct", userIds: [...userIds, userId] });
  };
  return (
    <div class="compose-target">
      <Icon name="person" size={15} />
      <Channel chosen="direct" />
      {userIds.map((id) => (
        <span key={id} class="chip">
          <bdi>{app.people.name(id)}</bdi>
          <button
            type="button"
            aria-label={`${t.remove}: ${app.people.name(id)}`}
            onClick={() => app.compose.readdress({ kind: "direct", userIds: userIds.filter((one) => one !== id) })}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      <input
        aria-label={t.addPeople}
        placeholder={t.addPeople}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !found[0]) return;
          event.preventDefault();
          add(found[0].user_id);
        }}
      />
      {found.length > 0 && (
        <ul class="completions">
          {found.map((user) => (
            <li key={user.user_id}>
              <button type="button" class="link" onClick={() => add(user.user_id)}>
                {user.full_name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
