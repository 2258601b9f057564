/** What the organization's owners decide about log-ins: their length, networks, and passwords. */
import { useApp } from "../model/app.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { Choice, entries, Refusal, Section, TextField } from "./fields.tsx";
import { s } from "./texts.ts";

interface Policy {
  session_days: number;
  idle_minutes: number | null;
  password_min_length: number;
  password_strength: string;
  allowed_networks: string[];
}

/** For administrators; others may not know of it. */
export function LogInPolicy() {
  const app = useApp();
  const { answer, again } = useAnswer<{ log_in_policy: Policy }>("/realm/log_in_policy");
  const { isOwner } = app.permissions;
  if (!answer) return null;
  const policy = answer.log_in_policy;
  const set = async (change: Partial<Policy>) => {
    const done = await app.actions.try("PATCH", "/realm/log_in_policy", change);
    again();
    return done;
  };
  const count = (name: "session_days" | "idle_minutes" | "password_min_length", label: string) => (
    <TextField
      label={label}
      type="number"
      value={String(policy[name] ?? "")}
      disabled={!isOwner}
      set={(value) => set({ [name]: Number(value) })}
    />
  );
  return (
    <Section title={s.logIns} hint={s.logInsHint}>
      <Refusal isShown={!isOwner} text={s.ownersOnly} />
      {count("session_days", s.sessionDays)}
      {count("idle_minutes", s.idleMinutes)}
      {count("password_min_length", s.passwordMinLength)}
      <Choice
        label={s.passwordStrength}
        value={policy.password_strength}
        disabled={!isOwner}
        choices={entries(s.passwordStrengths)}
        set={(password_strength) => set({ password_strength })}
      />
      <TextField
        label={s.networks}
        isLong
        value={policy.allowed_networks.join("\n")}
        disabled={!isOwner}
        set={(text) => set({ allowed_networks: text.split(/[\s,]+/).filter((network) => network !== "") })}
      />
    </Section>
  );
}
