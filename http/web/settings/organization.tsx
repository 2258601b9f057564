/** Settings of the organization. People who may not change them can read them, and see why. */
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import { Action, DangerousAction, entries, FileField, GroupChoice, Refusal, Section, TextField } from "./fields.tsx";
import { LogInPolicy } from "./log-in-policy.tsx";
import { Announcements, Messages, PeopleRules } from "./organization/rules.tsx";
import { useOrganization } from "./organization/use-organization.tsx";
import { Retention } from "./retention.tsx";
import { RequiredSecondFactor } from "./second-factor.tsx";
import { s } from "./texts.ts";

export function OrganizationProfile() {
  const { app, state, isAdmin, isOwner, set, flag, choice } = useOrganization();
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
        {choice("org_type", s.orgType, entries(s.orgTypes))}
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
        <PeopleRules />
      </Section>
      <Announcements />
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
