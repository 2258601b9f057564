/** Inviting people, and the list of open invitations. */
import { type Signal, useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import { useLiveAnswer } from "../views/dialogs/use-answer.ts";
import { fullTime } from "../views/parts/dates.ts";
import { Action, AddForm, Choice, entries, Refusal, Rows, Section, Toggle } from "./fields.tsx";
import { s } from "./texts.ts";

interface Invitation {
  id: number;
  email?: string;
  link_url?: string;
  invited_as: number;
  is_multiuse: boolean;
  expiry_date: number | null;
}

interface LinkOfAddress {
  email: string;
  invite_link: string;
}

export function Invite() {
  const app = useApp();
  const link = useSignal("");
  const { answer, again } = useLiveAnswer<{ invites: Invitation[] }>("/invites", "invites_changed");
  const mayInvite = app.permissions.has("create_multiuse_invite_group");
  const mayWrite = app.permissions.has("can_invite_users_group");
  const links = useSignal<readonly LinkOfAddress[]>([]);
  const { choices, fields } = useTerms();
  const send = async ({ emails }: Record<string, string>) => {
    const sent = await app.actions.try<{ email_sent: boolean; links?: LinkOfAddress[] }>("POST", "/invites", {
      ...choices(),
      invitee_emails: emails,
    });
    if (sent) app.ui.note(sent.email_sent ? s.invited : s.notSent);
    links.value = sent?.links ?? [];
    again();
    return sent;
  };
  const make = async () => {
    const made = await app.actions.try<{ invite_link: string }>("POST", "/invites/multiuse", choices());
    if (made) link.value = made.invite_link;
    again();
  };
  return (
    <>
      <Section title={t.invite} {...(mayInvite && { hint: s.inviteHint })}>
        {mayInvite || mayWrite ? (
          <>
            {fields}
            <Refusal isShown={!mayInvite} text={s.noLinks} />
            {mayInvite && (
              <button type="button" class="button" onClick={() => void make()}>
                {s.inviteLink}
              </button>
            )}
            <MadeLink link={link.value} />
          </>
        ) : (
          <Refusal isShown text={s.notYours} />
        )}
      </Section>
      {mayWrite && (
        <Section title={s.inviteByEmail} hint={s.addressesHint}>
          <AddForm fields={[["emails", s.addresses]]} action={s.sendInvites} run={send} />
          <LinksByAddress links={links.value} />
        </Section>
      )}
      <OpenInvitations invites={answer?.invites ?? []} again={again} />
    </>
  );
}

function MadeLink({ link }: { link: string }) {
  const app = useApp();
  if (link === "") return null;
  return (
    <p class="made-link">
      <code>{link}</code> <Action label={s.copy} run={() => app.actions.copy(link, s.copied)} />
    </p>
  );
}

/** Where the server sends no emails: links for whoever invites to pass on. */
function LinksByAddress({ links }: { links: readonly LinkOfAddress[] }) {
  return links.map(({ email, invite_link }) => (
    <p key={email} class="made-link">
      {email}: <code>{invite_link}</code>
    </p>
  ));
}

/** What holds for whoever follows an invitation: fields to choose it, and what was chosen as parameters. */
function useTerms() {
  const { isAdmin } = useApp().permissions;
  const [role, minutes, hasDefaults] = [useSignal("400"), useSignal("10080"), useSignal(true)];
  const [channelIds, groupIds] = [useSignal<readonly number[]>([]), useSignal<readonly number[]>([])];
  const [welcome, greeting] = [useSignal("usual"), useSignal("")];
  const choices = () => ({
    invite_as: Number(role.value),
    invite_expires_in_minutes: minutes.value === "null" ? null : Number(minutes.value),
    include_realm_default_subscriptions: hasDefaults.value,
    stream_ids: channelIds.value,
    group_ids: groupIds.value,
    ...(welcome.value !== "usual" && { welcome_message_custom_text: welcome.value === "none" ? "" : greeting.value }),
  });
  const fields = (
    <>
      <Terms role={role} minutes={minutes} hasDefaults={hasDefaults} />
      <Places channelIds={channelIds} groupIds={groupIds} />
      {isAdmin && <Welcome choice={welcome} text={greeting} />}
    </>
  );
  return { choices, fields };
}

interface TermsProps {
  role: Signal<string>;
  minutes: Signal<string>;
  hasDefaults: Signal<boolean>;
}

/** What whoever follows an invitation becomes, and until when. */
function Terms({ role, minutes, hasDefaults }: TermsProps) {
  const mine = useApp().people.me?.role ?? 600;
  return (
    <>
      <Choice
        label={s.joinAs}
        value={role.value}
        choices={Object.entries(t.roles).filter(([key]) => Number(key) >= mine)}
        set={(value) => (role.value = value)}
      />
      <Choice
        label={s.expires}
        value={minutes.value}
        choices={Object.entries(s.expiry)}
        set={(value) => (minutes.value = value)}
      />
      <Toggle label={s.withDefaults} value={hasDefaults.value} set={(value) => (hasDefaults.value = value)} />
    </>
  );
}

/** The channels and groups that whoever follows an invitation begins in. */
function Places({ channelIds, groupIds }: Record<"channelIds" | "groupIds", Signal<readonly number[]>>) {
  const app = useApp();
  const channels = app.channels.all.value.filter(
    ({ stream_id, is_archived, invite_only }) => !is_archived && (!invite_only || app.channels.isSubscribed(stream_id)),
  );
  const groups = (app.store.read("groups").realm_user_groups ?? []).filter((group) => {
    const mayAdd = [group["can_add_members_group"], group["can_manage_group"]].some((one) => app.permissions.isIn(one));
    const isOpen = !group["is_system_group"] && !group["deactivated"];
    return isOpen && (mayAdd || app.permissions.has("can_manage_all_groups"));
  });
  return (
    <>
      <Several
        label={s.inviteChannels}
        chosen={channelIds}
        choices={channels.map(({ stream_id, name }) => [stream_id, name] as const)}
      />
      {groups.length > 0 && (
        <Several label={s.inviteGroups} chosen={groupIds} choices={groups.map(({ id, name }) => [id, name] as const)} />
      )}
    </>
  );
}

/** What Welcome Bot tells whoever follows the invitation. https://zulip.com/api/send-invites */
function Welcome({ choice, text }: Record<"choice" | "text", Signal<string>>) {
  return (
    <>
      <Choice
        label={s.inviteWelcome}
        value={choice.value}
        choices={entries(s.inviteWelcomes)}
        set={(value) => (choice.value = value)}
      />
      {choice.value === "own" && (
        <label class="field">
          <span>{s.inviteWelcomeText}</span>
          <textarea
            rows={3}
            dir="auto"
            maxLength={8000}
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
      )}
    </>
  );
}

interface SeveralProps {
  label: string;
  chosen: Signal<readonly number[]>;
  choices: readonly (readonly [id: number, name: string])[];
}

/** Several of a list: those chosen can be taken out again. */
function Several({ label, chosen, choices }: SeveralProps) {
  const names = new Map(choices);
  const left = choices.filter(([id]) => !chosen.value.includes(id));
  return (
    <>
      <Choice
        label={label}
        value=""
        choices={[["", "—"], ...left.map(([id, name]) => [String(id), name] as const)]}
        set={(id) => {
          if (id !== "") chosen.value = [...chosen.value, Number(id)];
        }}
      />
      {chosen.value.length > 0 && (
        <Rows
          items={chosen.value}
          row={(id) => (
            <>
              <bdi>{names.get(id)}</bdi>
              <Action
                label={s.remove}
                run={() => {
                  chosen.value = chosen.value.filter((one) => one !== id);
                }}
              />
            </>
          )}
        />
      )}
    </>
  );
}

function OpenInvitations({ invites, again }: { invites: readonly Invitation[]; again(): void }) {
  const app = useApp();
  return (
    <Section title={s.invitations}>
      <Rows
        items={invites}
        row={(invitation) => (
          <>
            <code class="ellipsis" dir="ltr">
              {invitation.email ?? invitation.link_url}
            </code>
            <span class="soft">{t.roles[invitation.invited_as]}</span>
            <span class="soft">
              {invitation.expiry_date === null ? s.expiry["null"] : s.until(fullTime(invitation.expiry_date))}
            </span>
            <Action
              label={s.revoke}
              run={async () => {
                await app.actions.try(
                  "DELETE",
                  `/invites/${invitation.is_multiuse ? "multiuse/" : ""}${invitation.id}`,
                );
                again();
              }}
            />
          </>
        )}
      />
    </Section>
  );
}
