/** The bots for which the person answers. */
import { useSignal } from "@preact/signals";
import type { BotRecord } from "../../../client/state/state.ts";
import { membersOf } from "../../kept.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Action, AddForm, Choice, Refusal, Rows, Section, TextField } from "../fields.tsx";
import { s } from "../texts.ts";
import { IntegrationAddress } from "./integration-address.tsx";

/** https://zulip.com/help/bots-overview */
const kinds = { generic: 1, incoming: 2, outgoing: 3 } as const;

export function Bots() {
  const app = useApp();
  const listed = app.store.read("people").realm_bots;
  const mine = (Array.isArray(listed) ? listed : []).filter((bot) => bot.owner_id === app.me);
  const mayCreate = app.permissions.has("can_create_bots_group");
  return (
    <Section title={s.bots} hint={s.botHint}>
      <Rows items={mine} row={(bot) => <Bot key={bot.user_id} bot={bot} />} />
      {mayCreate ? <NewBot /> : <Refusal isShown text={s.notYours} />}
    </Section>
  );
}

function NewBot() {
  const app = useApp();
  const kind = useSignal(String(kinds.generic));
  const bot_type = Number(kind.value);
  return (
    <>
      <Choice
        label={s.botType}
        value={kind.value}
        choices={Object.entries(s.botTypes)}
        set={(value) => (kind.value = value)}
      />
      <AddForm
        fields={[
          ["full_name", s.botName],
          ["short_name", s.shortName],
          ...(bot_type === kinds.outgoing ? ([["payload_url", s.payloadUrl]] as const) : []),
        ]}
        action={s.createBot}
        run={(values) =>
          app.actions.try("POST", "/bots", {
            ...values,
            bot_type,
          })
        }
      />
    </>
  );
}

function Bot({ bot }: { bot: BotRecord }) {
  const app = useApp();
  // Events change the record where it is.
  app.store.read("people");
  const id = bot.user_id;
  const key = useSignal("");
  const isEditing = useSignal(false);
  const showKey = async () => {
    const answer = await app.actions.try<{ api_key: string }>("GET", `/bots/${id}/api_key`);
    if (answer) key.value = answer.api_key;
  };
  return (
    <>
      <div class="own-bot">
        <bdi>{bot.full_name}</bdi> <span class="soft">{bot.email}</span> {key.value && <code>{key.value}</code>}
        {isEditing.value && <Edit bot={bot} />}
        {key.value && bot["bot_type"] === kinds.incoming && <IntegrationAddress apiKey={key.value} />}
      </div>
      <span class="own-actions">
        {bot.is_active && (
          <>
            {!key.value && <Action label={s.showKey} run={showKey} />}
            {!isEditing.value && <Action label={t.edit} run={() => (isEditing.value = true)} />}
            <Action isDangerous label={s.deactivate} run={() => app.actions.try("DELETE", `/bots/${id}`)} />
          </>
        )}
        {!bot.is_active && <span class="soft">{s.deactivated}</span>}
        {!bot.is_active && app.permissions.isAdmin && (
          <Action label={s.reactivate} run={() => app.actions.try("POST", `/users/${id}/reactivate`)} />
        )}
      </span>
    </>
  );
}

function Edit({ bot }: { bot: BotRecord }) {
  const app = useApp();
  const update = (params: Record<string, string>) => app.actions.try("PATCH", `/bots/${bot.user_id}`, params);
  const [service] = Array.isArray(bot["services"]) ? bot["services"] : [];
  return (
    <>
      <TextField label={s.botName} value={bot.full_name} maxLength={100} set={(full_name) => update({ full_name })} />
      {bot["bot_type"] === kinds.outgoing && (
        <TextField
          label={s.payloadUrl}
          type="url"
          value={String(membersOf(service)["base_url"] ?? "")}
          set={(url) => update({ service_payload_url: url })}
        />
      )}
    </>
  );
}
