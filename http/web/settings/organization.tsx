/** Settings of the organization. People who may not change them can read them, and see why. */
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import {
  Action,
  Choice,
  DangerousAction,
  FileField,
  GroupChoice,
  LengthChoice,
  Refusal,
  Section,
  TextField,
  Toggle,
} from "./fields.tsx";
import { LogInPolicy } from "./log-in-policy.tsx";
import { Retention } from "./retention.tsx";
import { RequiredSecondFactor } from "./second-factor.tsx";
import { s } from "./texts.ts";

const entries = (table: Readonly<Record<string, string>>): [string, string][] => Object.entries(table);

/** How a setting of the organization is shown and changed. */
function useOrganization() {
  const app = useApp();
  const state = app.store.read("realm", "channels");
  const { isAdmin, isOwner } = app.permissions;
  const set = (name: string, value: unknown) => app.actions.try("PATCH", "/realm", { [name]: value });
  const flag = (name: string, label: string, may = isAdmin) => (
    <Toggle label={label} disabled={!may} value={state[`realm_${name}`] === true} set={(value) => set(name, value)} />
  );
  return { app, state, isAdmin, isOwner, set, flag };
}

export function OrganizationProfile() {
  const { app, state, isAdmin, isOwner, set, flag } = useOrganization();
  return (
    <>
      <Section title={s.profile}>
        <Refusal isShown={!isAdmin} />
        <TextField
          label={s.name}
          value={String(state["realm_name"])}
          disabled={!isAdmin}
          maxLength={40}
          set={(name) => set("name", name)}
        />
        <TextField
          label={s.description}
          isLong
          value={String(state["realm_description"])}
          disabled={!isAdmin}
          maxLength={1000}
          set={(description) => set("description", description)}
        />
        <Picture
          path="/realm/icon"
          label={s.icon}
          url={state["realm_icon_url"]}
          isOwn={state["realm_icon_source"] === "U"}
        />
        <Picture
          path="/realm/logo"
          label={s.logo}
          url={state["realm_logo_url"]}
          isOwn={state["realm_logo_source"] === "U"}
        />
      </Section>
      <Messages />
      <Section title={t.people}>
        <Refusal isShown={isAdmin && !isOwner} text={s.ownersOnly} />
        {flag("invite_required", s.inviteOnly, isOwner)}
        {flag("emails_restricted_to_domains", s.domainsOnly, isOwner)}
        {flag("enable_spectator_access", s.spectators)}
      </Section>
      <RequiredSecondFactor />
      {isAdmin && <LogInPolicy />}
      {isAdmin && <Retention />}
      {isOwner && (
        <Section title={s.deactivateRealm} hint={s.deactivateRealmHint}>
          <DangerousAction
            label={s.deactivateRealm}
            action={s.deactivate}
            text={s.deactivateRealmHint}
            run={() => void app.actions.try("POST", "/realm/deactivate")}
          />
        </Section>
      )}
    </>
  );
}

function Messages() {
  const { app, state, isAdmin, set, flag } = useOrganization();
  const choice = (name: string, label: string, choices: Readonly<Record<string, string>>) => (
    <Choice
      label={label}
      disabled={!isAdmin}
      value={String(state[`realm_${name}`])}
      choices={entries(choices)}
      set={(value) => set(name, value)}
    />
  );
  const limit = (name: string, label: string) => {
    const secs = state[`realm_${name}`];
    return (
      <LengthChoice
        label={label}
        disabled={!isAdmin}
        value={typeof secs === "number" ? secs : null}
        set={(value) => set(name, value ?? "unlimited")}
      />
    );
  };
  return (
    <Section title={t.messages}>
      {flag("allow_message_editing", s.editing)}
      {limit("message_content_edit_limit_seconds", s.editLimit)}
      {limit("message_content_delete_limit_seconds", s.deleteLimit)}
      {choice("message_edit_history_visibility_policy", s.history, s.histories)}
      {choice("topics_policy", s.emptyTopics, s.emptyTopicsChoices)}
      {flag("enable_read_receipts", s.receipts)}
      {flag("inline_image_preview", s.previews)}
      {Boolean(state["server_gif_provider"]) && choice("gif_rating_policy", s.gifRating, s.gifRatings)}
      <Choice
        label={s.moderation}
        disabled={!isAdmin}
        value={String(state["realm_moderation_request_channel_id"] ?? -1)}
        choices={[
          ["-1", s.none],
          ...app.channels.all.value
            .filter((channel) => channel.invite_only)
            .map(({ stream_id, name }) => [String(stream_id), name] as const),
        ]}
        set={(value) => set("moderation_request_channel_id", Number(value))}
      />
    </Section>
  );
}

interface PictureProps {
  path: string;
  label: string;
  url: unknown;
  /** Whether it was uploaded. */
  isOwn: boolean;
}

/** A picture of the organization. */
function Picture({ path, label, url, isOwn }: PictureProps) {
  const app = useApp();
  const params = path === "/realm/logo" ? { night: "false" } : {};
  return (
    <div class="picture-setting">
      <img src={String(url ?? "")} alt={label} height="48" />
      {!app.permissions.isAdmin && <span aria-hidden="true">{label}</span>}
      {app.permissions.isAdmin && (
        <div>
          <FileField label={label} choose={(file) => file && void app.actions.upload(path, file, params)} />
          {isOwn && <Action label={s.removePicture} run={() => app.actions.try("DELETE", path, params)} />}
        </div>
      )}
    </div>
  );
}

export function Rights() {
  const app = useApp();
  const state = app.store.read("realm");
  return (
    <Section title={s.permissions}>
      <Refusal isShown={!app.permissions.isAdmin} />
      {Object.entries(s.rights).map(([name, label]) => {
        const value = state[`realm_${name}`];
        return (
          <GroupChoice
            key={name}
            label={label}
            value={value}
            disabled={!app.permissions.isAdmin}
            set={(next) => app.actions.try("PATCH", "/realm", { [name]: { new: next } })}
          />
        );
      })}
    </Section>
  );
}
