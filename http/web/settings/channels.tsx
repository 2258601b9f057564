/** Settings of channels: the list of all, and one channel with its settings. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import type { Channel } from "../model/channels.ts";
import { folded } from "../model/people.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { ChannelMark } from "../views/parts/channel-mark.tsx";
import { FixedList } from "../views/parts/fixed-list.tsx";
import { ChannelRights } from "./channel/channel-rights.tsx";
import { NewChannel } from "./channel/new-channel.tsx";
import { Action, AddForm, Choice, DangerousAction, Refusal, Section, TextField, Toggle } from "./fields.tsx";
import { MemberList } from "./member-list.tsx";
import { s } from "./texts.ts";

const rowHeight = 48;

export function Channels({ path }: { path: readonly string[] }) {
  const app = useApp();
  const id = Number(path[0]);
  const channel = id > 0 ? app.channels.get(id) : undefined;
  if (channel) return <ChannelPage channel={channel} tab={path[1] ?? "general"} />;
  return path[0] === "new" ? <NewChannel /> : <ChannelList />;
}

function ChannelList() {
  const app = useApp();
  const text = useSignal("");
  const wanted = folded(text.value.trim());
  const found = app.channels.all.value.filter(({ name }) => folded(name).includes(wanted));
  const mayCreate = app.store.read("realm")["can_create_streams"] === true;
  return (
    <div class="setting-list">
      <div class="own-actions">
        <input
          type="search"
          aria-label={s.find}
          placeholder={s.find}
          value={text}
          list={undefined}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
        {mayCreate ? (
          <a class="button small" href="#channels/new">
            {s.createChannel}
          </a>
        ) : (
          <Refusal isShown text={s.notYours} />
        )}
      </div>
      <FixedList
        items={found}
        rowHeight={rowHeight}
        keyOf={({ stream_id }) => stream_id}
        row={(channel) => (
          <div class="channel-line">
            <ChannelMark channelId={channel.stream_id} />
            <a class="ellipsis" dir="auto" href={`#channels/${channel.stream_id}`}>
              {channel.name}
            </a>
            <bdi class="soft ellipsis">{channel.description}</bdi>
            <span class="soft subscribers">{channel.subscriber_count}</span>
            <SubscribeButton channel={channel} />
          </div>
        )}
      />
    </div>
  );
}

function SubscribeButton({ channel }: { channel: Channel }) {
  const app = useApp();
  const { stream_id: id } = channel;
  if (channel.is_archived) return <span class="soft">{s.isArchived}</span>;
  return app.channels.isSubscribed(id) ? (
    <Action label={s.unsubscribe} run={() => app.actions.unsubscribe(id)} />
  ) : (
    <Action label={s.subscribe} run={() => app.actions.subscribe(id)} />
  );
}

const tabs = (): readonly (readonly [string, string])[] => [
  ["general", s.general],
  ["personal", s.personal],
  ["subscribers", s.subscribers],
  ["permissions", s.permissions],
];

function ChannelPage({ channel, tab }: { channel: Channel; tab: string }) {
  const { stream_id: id } = channel;
  const isSubscribed = useApp().channels.isSubscribed(id);
  return (
    <>
      <div class="setting-head">
        <ChannelMark channelId={id} size={20} />
        <h3>{channel.name}</h3>
        <SubscribeButton channel={channel} />
      </div>
      <nav class="tabs" aria-label={channel.name}>
        {tabs()
          .filter(([key]) => key !== "personal" || isSubscribed)
          .map(([key, label]) => (
            <a key={key} href={`#channels/${id}/${key}`} {...(key === tab && { "aria-current": "page" })}>
              {label}
            </a>
          ))}
      </nav>
      {tab === "personal" ? (
        <Personal channel={channel} />
      ) : tab === "subscribers" ? (
        <Subscribers channel={channel} />
      ) : tab === "permissions" ? (
        <ChannelRights channel={channel} />
      ) : (
        <General channel={channel} />
      )}
    </>
  );
}

interface PageProps {
  channel: Channel;
}

const update = (app: ReturnType<typeof useApp>, channel: Channel, params: Record<string, unknown>) =>
  app.actions.try("PATCH", `/streams/${channel.stream_id}`, params);

function General({ channel }: PageProps) {
  const app = useApp();
  const mayChange = app.permissions.administers(channel);
  const set = (params: Record<string, unknown>) => update(app, channel, params);
  const privacy = channel.is_web_public ? "web" : channel.invite_only ? "private" : "public";
  const folders = app.channels.folders.value.filter((folder) => !folder.is_archived);
  return (
    <Section title={s.general}>
      <Refusal isShown={!mayChange} />
      <TextField
        label={s.name}
        value={channel.name}
        disabled={!mayChange}
        maxLength={60}
        set={(new_name) => set({ new_name })}
      />
      <TextField
        label={s.description}
        isLong
        value={channel.description}
        disabled={!mayChange}
        maxLength={1024}
        set={(description) => set({ description })}
      />
      <Choice
        label={s.privacy}
        value={privacy}
        disabled={!mayChange}
        choices={[
          ["public", s.public],
          ["private", s.private],
          ["web", s.webPublic],
        ]}
        set={(value) => set({ is_private: value === "private", is_web_public: value === "web" })}
      />
      <Choice
        label={s.folder}
        value={String(channel.folder_id ?? "")}
        disabled={!mayChange}
        choices={[["", s.noFolder], ...folders.map(({ id, name }) => [String(id), name] as const)]}
        set={(value) => set({ folder_id: value === "" ? null : Number(value) })}
      />
      {app.permissions.isAdmin && (
        <AddForm
          fields={[["name", s.newFolder]]}
          run={({ name }) => app.actions.try("POST", "/channel_folders/create", { name, description: "" })}
        />
      )}
      {mayChange && <Archive channel={channel} />}
    </Section>
  );
}

function Archive({ channel }: PageProps) {
  const app = useApp();
  if (channel.is_archived)
    return <Action label={s.unarchive} run={() => update(app, channel, { is_archived: false })} />;
  return (
    <DangerousAction
      label={s.archive}
      text={s.archiveHint}
      run={() => void app.actions.try("DELETE", `/streams/${channel.stream_id}`)}
    />
  );
}

/** Properties of a subscription, and the settings that hold until one is chosen. */
const notifications = () =>
  [
    ["desktop_notifications", "enable_stream_desktop_notifications", s.channelDesktopOne],
    ["audible_notifications", "enable_stream_audible_notifications", s.channelAudibleOne],
    ["push_notifications", "enable_stream_push_notifications", s.channelPushOne],
    ["email_notifications", "enable_stream_email_notifications", s.channelEmailOne],
    ["wildcard_mentions_notify", "wildcard_mentions_notify", s.channelWildcardsOne],
  ] as const;

function Personal({ channel }: PageProps) {
  const app = useApp();
  const settings = app.store.read("settings").user_settings ?? {};
  const { answer } = useAnswer<{ email: string }>(`/streams/${channel.stream_id}/email_address`);
  const toggle = (property: string, label: string) => (
    <Toggle
      label={label}
      value={channel[property] === true}
      set={(value) => app.actions.setSubscription(channel.stream_id, property, value)}
    />
  );
  return (
    <Section title={s.personal}>
      <label class="field">
        <span>{s.color}</span>
        <input
          type="color"
          value={channel.color ?? "#888888"}
          list={undefined}
          onChange={(event) => void app.actions.setSubscription(channel.stream_id, "color", event.currentTarget.value)}
        />
      </label>
      {toggle("is_muted", s.muted)}
      {toggle("pin_to_top", s.pinned)}
      {notifications().map(([property, general, label]) => (
        <Toggle
          key={property}
          label={label}
          value={(channel[property] ?? settings[general]) === true}
          set={(value) => app.actions.setSubscription(channel.stream_id, property, value)}
        />
      ))}
      {answer && (
        <p>
          {s.channelEmail}: {answer.email ? <code>{answer.email}</code> : <span class="soft">{s.noChannelEmail}</span>}
        </p>
      )}
    </Section>
  );
}

function Subscribers({ channel }: PageProps) {
  const app = useApp();
  const { stream_id: id } = channel;
  const { answer, again } = useAnswer<{ subscribers: number[] }>(`/streams/${id}/members`);
  const mayAdd =
    app.permissions.administers(channel) ||
    app.permissions.isIn(channel["can_add_subscribers_group"]) ||
    app.permissions.has("can_add_subscribers_group");
  const mayRemove =
    app.permissions.administers(channel) || app.permissions.isIn(channel["can_remove_subscribers_group"]);
  return (
    <Section title={s.subscribers}>
      <MemberList
        userIds={answer?.subscribers ?? []}
        {...(mayAdd && {
          add: async (userId: number) => void (await app.actions.subscribe(id, [userId])),
          addAll: async (userIds: readonly number[]) => void (await app.actions.subscribe(id, userIds)),
        })}
        remove={(userId) => (mayRemove || userId === app.me ? app.actions.unsubscribe(id, [userId]) : undefined)}
        mayRemove={mayRemove}
        changed={again}
      />
    </Section>
  );
}
