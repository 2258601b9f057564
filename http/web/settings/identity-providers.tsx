/** The providers by which people log in (OpenID Connect), for owners: setting, trying, changing and removing them. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { confirmDialog } from "../views/frame/layers.tsx";
import { fullTime } from "../views/parts/dates.ts";
import { ApiError, call } from "../wire/api.ts";
import { Action, DangerousAction, Refusal, Rows, Section } from "./fields.tsx";
import { type Provider, ProviderForm, type ProviderParams } from "./provider-form.tsx";
import { s } from "./texts.ts";

interface Answer {
  identity_providers: Provider[];
  server_identity_providers: { name: string; display_name: string }[];
}

const path = "/realm/identity_providers";

export function IdentityProviders() {
  const { isOwner } = useApp().permissions;
  return (
    <Section title={s.signOn} hint={s.signOnHint}>
      {isOwner ? <Shown /> : <Refusal isShown text={s.ownersSee} />}
    </Section>
  );
}

function Shown() {
  const app = useApp();
  const { answer, error, again } = useAnswer<Answer>(path);
  /** The name of the one that is open; "": a new one, undefined: none. */
  const open = useSignal<string | undefined>(undefined);
  if (error !== undefined) return <p class="refusal">{error}</p>;
  if (!answer) return null;
  const providers = answer.identity_providers;
  const chosen = providers.find(({ name }) => name === open.value);
  const done = (isDone: unknown) => {
    if (isDone === undefined) return;
    open.value = undefined;
    again();
  };
  const save = async ({ name, ...params }: ProviderParams) => {
    if (!chosen) return done(await app.actions.try("POST", path, { name, ...params }));
    done(await meaningIt(app, (more) => call("PATCH", `${path}/${name}`, { ...params, ...more })));
  };
  return (
    <>
      <Rows items={answer.server_identity_providers} empty="" row={(one) => <ServersProvider {...one} />} />
      <Rows
        items={providers}
        row={(provider) => (
          <OwnProvider
            provider={provider}
            change={() => (open.value = provider.name)}
            remove={async () => done(await meaningIt(app, (more) => call("DELETE", `${path}/${provider.name}`, more)))}
          />
        )}
      />
      {open.value === undefined ? (
        <Action label={s.addProvider} run={() => (open.value = "")} />
      ) : (
        <ProviderForm key={open.value} provider={chosen} save={save} cancel={() => (open.value = undefined)} />
      )}
    </>
  );
}

/** Asks again, as meant, what would leave owners without a way in. Undefined: it was not done. */
async function meaningIt(
  app: ReturnType<typeof useApp>,
  ask: (more: { locks_out_owners?: boolean }) => Promise<object>,
): Promise<object | undefined> {
  let lockedOut: number[] | undefined;
  const first = await app.actions.trying(() =>
    ask({}).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== "OWNERS_LOCKED_OUT") throw error;
      lockedOut = [error.details["owner_ids"]].flat().map(Number);
      return {};
    }),
  );
  if (!lockedOut) return first;
  const text = s.ownersLockedOut(lockedOut.map((id) => app.people.name(id)).join(", "));
  return new Promise((resolve) => {
    const run = () => void app.actions.trying(() => ask({ locks_out_owners: true })).then(resolve);
    confirmDialog(app.ui, { title: s.signOn, text, action: s.lockThemOut, run });
  });
}

const ServersProvider = ({ display_name }: { display_name: string }) => (
  <span>
    {display_name} <span class="soft">{s.serversProvider}</span>
  </span>
);

function OwnProvider({ provider, change, remove }: { provider: Provider; change(): void; remove(): Promise<void> }) {
  const { display_name, issuer, redirect_uri, client_secret_set_at: setAt } = provider;
  return (
    <>
      <span>
        <bdi>{display_name}</bdi>
        <br />
        <span class="soft">
          <bdi>{issuer}</bdi>
          <br />
          {s.redirectAddress} <code>{redirect_uri}</code>
          <br />
          {setAt === null ? s.noClientSecret : s.clientSecretSet(fullTime(setAt))}
        </span>
      </span>
      <Action label={s.change} run={change} />
      <DangerousAction label={s.removeProvider} text={s.removeProviderHint} run={() => void remove()} />
    </>
  );
}
