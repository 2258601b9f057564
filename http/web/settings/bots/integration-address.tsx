/** The address that a service posts to, so that a bot writes what the service says. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type App, useApp } from "../../model/app.ts";
import { Action, Choice } from "../fields.tsx";
import { s } from "../texts.ts";

/** `realm_incoming_webhook_bots`. https://zulip.com/api/register-queue */
interface Integration {
  name: string;
  display_name: string;
}

/** The services that the server knows. Only a queue tells them, which ends at once. */
async function readIntegrations(app: App): Promise<readonly Integration[]> {
  const told = await app.actions.try<{ queue_id: string; realm_incoming_webhook_bots: Integration[] }>(
    "POST",
    "/register",
    { event_types: ["realm"], fetch_event_types: ["realm_incoming_webhook_bots"] },
  );
  if (!told) return [];
  await app.actions.try("DELETE", "/events", { queue_id: told.queue_id });
  return told.realm_incoming_webhook_bots;
}

export function IntegrationAddress({ apiKey }: { apiKey: string }) {
  const app = useApp();
  const known = useSignal<readonly Integration[]>([]);
  const service = useSignal("");
  useEffect(() => {
    void readIntegrations(app).then((all) => {
      known.value = all;
      service.value = all[0]?.name ?? "";
    });
  }, []);
  const channel = useSignal("");
  const address = new URL(`/api/v1/external/${service.value}`, location.origin);
  address.searchParams.set("api_key", apiKey);
  if (channel.value !== "") address.searchParams.set("stream", channel.value);
  const channels = app.channels.all.value.filter(({ is_archived }) => !is_archived);
  if (service.value === "") return null;
  return (
    <>
      <Choice
        label={s.integration}
        value={service.value}
        choices={known.value.map(({ name, display_name }) => [name, display_name] as const)}
        set={(value) => (service.value = value)}
      />
      <Choice
        label={s.toChannel}
        value={channel.value}
        choices={[["", s.toOwner], ...channels.map(({ stream_id, name }) => [String(stream_id), name] as const)]}
        set={(value) => (channel.value = value)}
      />
      <p class="made-link">
        <span>
          {s.integrationAddress}: <code>{address.href}</code>
        </span>
        <Action label={s.copy} run={() => app.actions.copy(address.href, s.copied)} />
      </p>
    </>
  );
}
