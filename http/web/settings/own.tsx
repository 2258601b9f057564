/** The person's own settings. */

import { useSignal } from "@preact/signals";
import { type App, useApp } from "../model/app.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { Avatar } from "../views/parts/avatar.tsx";
import { ChooseAvatar } from "../views/parts/choose-avatar.tsx";
import {
  Action,
  AddForm,
  Choice,
  DangerousAction,
  emptySent,
  Refusal,
  Rows,
  Section,
  TextField,
  Toggle,
  textsIn,
} from "./fields.tsx";
import { FurtherKeys } from "./further-keys.tsx";
import { FieldsOf } from "./profile-fields.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { s } from "./texts.ts";

const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Profile() {
  const app = useApp();
  const { me } = app.people;
  const state = app.store.read("people", "realm");
  if (!me) return null;
  const mayRename = state["realm_name_changes_disabled"] !== true || app.permissions.isAdmin;
  const mayPicture = state["realm_avatar_changes_disabled"] !== true || app.permissions.isAdmin;
  return (
    <Section title={s.profile}>
      <div class="picture-setting">
        <Avatar user={me} size={84} />
        {mayPicture && (
          <div>
            <ChooseAvatar label={s.upload} />
            {state["avatar_source"] === "U" && (
              <Action label={s.removePicture} run={() => app.actions.try("DELETE", "/users/me/avatar")} />
            )}
          </div>
        )}
      </div>
      <TextField
        label={s.name}
        value={me.full_name}
        disabled={!mayRename}
        maxLength={100}
        set={(full_name) => app.actions.setSetting("full_name", full_name)}
      />
      <Refusal isShown={!mayRename} />
      <Choice
        label={s.timezone}
        value={String(me["timezone"] ?? "")}
        choices={[
          ["", s.browserZone(browserZone())],
          ...Intl.supportedValuesOf("timeZone").map((zone) => [zone, zone] as const),
        ]}
        set={(timezone) => app.actions.setSetting("timezone", timezone)}
      />
      <FieldsOf userId={app.me} />
    </Section>
  );
}

export function Account() {
  const app = useApp();
  const settings = app.store.read("settings").user_settings ?? {};
  const { answer } = useAnswer<{ second_factor: { has_password: boolean } }>("/users/me/second_factor");
  const hasPassword = answer?.second_factor.has_password !== false;
  return (
    <>
      <Address hasPassword={hasPassword} />
      <Password hasPassword={hasPassword} />
      <SecondFactor />
      <ApiKey />
      <FurtherKeys />
      <Section title={s.exports}>
        <Toggle
          label={s.exportConsent}
          hint={s.exportConsentHint}
          value={settings["allow_private_data_export"] === true}
          set={(value) => app.actions.setSetting("allow_private_data_export", value)}
        />
      </Section>
      <Section title={s.deactivateSelf} hint={s.deactivateSelfHint}>
        <DangerousAction
          label={s.deactivateSelf}
          action={s.deactivate}
          text={s.deactivateSelfHint}
          run={() => void app.actions.try("DELETE", "/users/me").then((done) => done && location.assign("/login/"))}
        />
      </Section>
    </>
  );
}

/** `email_address_visibility`, from everybody to nobody. https://zulip.com/api/update-settings */
const viewers = [1, 2, 5, 3, 4] as const;

const addressOf = ({ people: { me } }: App): string => String(me?.["delivery_email"] ?? me?.email ?? "");

function Address({ hasPassword }: { hasPassword: boolean }) {
  const app = useApp();
  const addresses = async ({ email: next = "", password = "" }: Record<string, string>) => {
    const done = await app.actions.try("PATCH", "/settings", { email: next, old_password: password });
    if (done) app.ui.note(s.addressAsked);
    return done;
  };
  const visibility = app.store.read("settings").user_settings?.["email_address_visibility"];
  const mayChangeEmail = app.store.state["realm_email_changes_disabled"] !== true || app.permissions.isAdmin;
  return (
    <Section title={s.email}>
      <p>{addressOf(app)}</p>
      {mayChangeEmail && hasPassword ? (
        <PasswordForm
          fields={[
            ["email", s.newEmail, "email"],
            ["password", s.oldPassword, "current-password"],
          ]}
          action={s.changeEmail}
          run={addresses}
        />
      ) : (
        // Without a password the change cannot be asked for, and the section below says how to have one.
        <Refusal isShown={!mayChangeEmail} />
      )}
      <Choice
        label={s.addressSeenBy}
        value={String(visibility ?? 1)}
        choices={viewers.map((key) => [String(key), s.addressViewers[key]] as const)}
        set={(value) => app.actions.setSetting("email_address_visibility", Number(value))}
      />
    </Section>
  );
}

function Password({ hasPassword }: { hasPassword: boolean }) {
  const app = useApp();
  const passwords = async ({ old = "", fresh = "" }: Record<string, string>) => {
    const done = await app.actions.try("PATCH", "/settings", { old_password: old, new_password: fresh });
    if (done) app.ui.note(s.saved);
    return done;
  };
  if (!hasPassword) {
    return (
      <Section title={s.password} hint={s.noPassword}>
        <a class="button small" href="/accounts/password/reset/">
          {s.choosePassword}
        </a>
      </Section>
    );
  }
  return (
    <Section title={s.password}>
      <PasswordForm
        fields={[
          ["old", s.oldPassword, "current-password"],
          ["fresh", s.newPassword, "new-password"],
        ]}
        action={s.change}
        run={passwords}
      />
    </Section>
  );
}

function ApiKey() {
  const app = useApp();
  const email = addressOf(app);
  const key = useSignal("");
  const show = async (path: string) => {
    const answer = await app.actions.try<{ api_key: string }>("POST", path);
    if (answer) key.value = answer.api_key;
  };
  const zuliprc = `[api]\nemail=${email}\nkey=${key.value}\nsite=${location.origin}\n`;
  return (
    <Section title={s.apiKey} hint={s.apiKeyHint}>
      {key.value === "" ? (
        <Action label={s.showKey} run={() => show("/users/me/api_key")} />
      ) : (
        <>
          <p>
            <code>{key.value}</code>
          </p>
          <div class="own-actions">
            <a
              class="button small"
              download="zuliprc"
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(zuliprc)}`}
            >
              {s.zuliprc}
            </a>
            <Action label={s.regenerate} run={() => show("/users/me/api_key/regenerate")} />
          </div>
        </>
      )}
    </Section>
  );
}

function PasswordForm({
  fields,
  action,
  run,
}: {
  fields: readonly (readonly [
    name: string,
    label: string,
    autocomplete: "email" | "current-password" | "new-password",
  ])[];
  action: string;
  run(values: Record<string, string>): Promise<unknown>;
}) {
  return (
    <form
      class="add-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const sent = textsIn(form);
        void run(sent).then((done) => done && emptySent(form, sent));
      }}
    >
      {fields.map(([name, label, autocomplete]) => {
        const props = { name, "aria-label": label, placeholder: label, autocomplete, required: true };
        return autocomplete === "email" ? (
          <input key={name} type="email" {...props} />
        ) : (
          <input key={name} type="password" {...props} />
        );
      })}
      <button type="submit" class="button small">
        {action}
      </button>
    </form>
  );
}

export function AlertWords() {
  const app = useApp();
  const words = app.store.read("personal").alert_words ?? [];
  return (
    <Section title={s.alertWords} hint={s.wordHint}>
      <Rows
        items={words}
        row={(word) => (
          <>
            <bdi>{word}</bdi>
            <Action
              label={s.remove}
              run={() => app.actions.try("DELETE", "/users/me/alert_words", { alert_words: [word] })}
            />
          </>
        )}
      />
      <AddForm
        fields={[["word", s.word]]}
        run={({ word }) => app.actions.try("POST", "/users/me/alert_words", { alert_words: [word] })}
      />
    </Section>
  );
}

export function MutedPeople() {
  const app = useApp();
  return (
    <Section title={s.mutedPeople} hint={s.mutedHint}>
      <Rows
        items={[...app.people.muted.value]}
        empty={s.nobody}
        row={(id) => (
          <>
            <bdi>{app.people.name(id)}</bdi>
            <Action label={s.remove} run={() => app.actions.try("DELETE", `/users/me/muted_users/${id}`)} />
          </>
        )}
      />
    </Section>
  );
}
