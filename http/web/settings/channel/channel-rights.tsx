/** Who may do what in a channel, and what holds for its messages. */
import { useApp } from "../../model/app.ts";
import type { Channel } from "../../model/channels.ts";
import { t } from "../../texts.ts";
import { Choice, entries, GroupChoice, lengthOf, Refusal, Section, Toggle } from "../fields.tsx";
import { s } from "../texts.ts";

export function ChannelRights({ channel }: { channel: Channel }) {
  const app = useApp();
  const mayChange = app.permissions.administers(channel);
  const update = (params: Record<string, unknown>) => app.actions.try("PATCH", `/streams/${channel.stream_id}`, params);
  return (
    <>
      <Section title={s.permissions}>
        <Refusal isShown={!mayChange} />
        {Object.entries(s.channelRights).map(([name, label]) => (
          <GroupChoice
            key={name}
            label={label}
            value={channel[name]}
            disabled={!mayChange}
            set={(value) => update({ [name]: { new: value } })}
          />
        ))}
      </Section>
      <Section title={t.messages}>
        {channel.invite_only && (
          <Toggle
            label={s.sharedHistory}
            value={channel["history_public_to_subscribers"] === true}
            disabled={!mayChange}
            set={(history_public_to_subscribers) => update({ history_public_to_subscribers })}
          />
        )}
        <Choice
          label={s.emptyTopics}
          value={channel.topics_policy}
          disabled={!mayChange}
          choices={entries(s.channelTopics)}
          set={(topics_policy) => update({ topics_policy })}
        />
        <RetentionChoice channel={channel} />
      </Section>
    </>
  );
}

const daySecs = 86_400;
/** Days that people choose from. What another program set stands among them. */
const usualDays = [7, 30, 90, 365];

/** For how long the channel keeps messages. On the wire -1 is for ever, and null as the organization says. */
function RetentionChoice({ channel }: { channel: Channel }) {
  const app = useApp();
  const { isOwner } = app.permissions;
  const days = channel["message_retention_days"];
  const own = typeof days === "number" && days > 0 ? [days] : [];
  const offered = [...new Set([...usualDays, ...own])].sort((one, other) => one - other);
  const set = (value: string) =>
    app.actions.try("PATCH", `/streams/${channel.stream_id}`, {
      message_retention_days: Number(value) > 0 ? Number(value) : value,
    });
  return (
    <>
      <Choice
        label={s.keepsMessages}
        value={days === -1 ? "unlimited" : own.length > 0 ? String(days) : "realm_default"}
        disabled={!isOwner}
        choices={[
          ["realm_default", s.asOrganization],
          ...offered.map((one) => [String(one), lengthOf(one * daySecs)] as const),
          ["unlimited", s.expiry["null"] ?? ""],
        ]}
        set={set}
      />
      <Refusal isShown={!isOwner} text={s.ownersOnly} />
    </>
  );
}
