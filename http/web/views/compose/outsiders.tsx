/** Who is mentioned without being in the channel, and a way to add them. */
import { type App, useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";

const mention = /@\*\*([^*|\n]+)(?:\|(\d+))?\*\*/g;

export function Outsiders() {
  const app = useApp();
  const { conversation, text } = app.compose;
  const channelId = conversation.value?.kind === "topic" ? conversation.value.channelId : undefined;
  const outsiders = channelId === undefined ? [] : outsidersOf(app, channelId, text.value);
  if (channelId === undefined || outsiders.length === 0) return null;
  const channel = app.channels.get(channelId);
  const mayAdd =
    channel !== undefined &&
    (app.permissions.administers(channel) ||
      app.permissions.isIn(channel["can_add_subscribers_group"]) ||
      app.permissions.has("can_add_subscribers_group"));
  return (
    <p class="outsiders" role="status">
      <span>
        {t.outsiders(
          outsiders.map((id) => app.people.name(id)),
          app.channels.name(channelId),
        )}
      </span>
      {mayAdd && (
        <button type="button" class="button small" onClick={() => void app.actions.subscribe(channelId, outsiders)}>
          {t.addToChannel(outsiders.length)}
        </button>
      )}
    </p>
  );
}

function outsidersOf(app: App, channelId: number, text: string): number[] {
  const mentioned = [...text.matchAll(mention)].flatMap(
    ([, name = "", id]) => Number(id) || (app.people.idOf(name) ?? []),
  );
  if (mentioned.length === 0) return [];
  const members = app.members.of(channelId);
  return members ? [...new Set(mentioned)].filter((id) => !members.has(id) && app.people.isActive(id)) : [];
}
