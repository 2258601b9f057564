/** For how long the organization keeps what, by kind. */
import { useApp } from "../model/app.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { Refusal, Section, TextField } from "./fields.tsx";
import { s } from "./texts.ts";

/** Days; -1: for ever; null: as messages of channels. */
interface Kept {
  direct_message_days: number | null;
  earlier_text_days: number;
  unused_file_days: number;
  audit_log_days: number;
}

const shown = (days: number | null): string => (days === null || days < 0 ? "" : String(days));
const told = (text: string): number | "unlimited" => (text.trim() === "" ? "unlimited" : Number(text));

/** For administrators; others may not know of it. */
export function Retention() {
  const app = useApp();
  const { answer, again } = useAnswer<{ retention: Kept }>("/realm/retention");
  const { isOwner } = app.permissions;
  const { realm_message_retention_days: messageDays = -1 } = app.store.read("realm");
  if (!answer) return null;
  const kept = answer.retention;
  const set = async (name: keyof Kept, days: number | string) => {
    const done = await app.actions.try("PATCH", "/realm/retention", { [name]: days });
    again();
    return done;
  };
  return (
    <Section title={s.retention} hint={s.retentionHint}>
      <Refusal isShown={!isOwner} text={s.ownersOnly} />
      <TextField
        label={s.messageDays}
        type="number"
        value={shown(messageDays)}
        disabled={!isOwner}
        set={(text) => app.actions.try("PATCH", "/realm", { message_retention_days: told(text) })}
      />
      <TextField
        label={s.directMessageDays}
        type="number"
        value={kept.direct_message_days === -1 ? "0" : shown(kept.direct_message_days)}
        disabled={!isOwner}
        set={(text) => {
          const days = told(text);
          return set("direct_message_days", days === "unlimited" ? "realm_default" : days === 0 ? "unlimited" : days);
        }}
      />
      <TextField
        label={s.earlierTextDays}
        type="number"
        value={shown(kept.earlier_text_days)}
        disabled={!isOwner}
        set={(text) => set("earlier_text_days", told(text))}
      />
      <TextField
        label={s.unusedFileDays}
        type="number"
        value={shown(kept.unused_file_days)}
        disabled={!isOwner}
        set={(text) => set("unused_file_days", told(text))}
      />
      <TextField
        label={s.auditLogDays}
        type="number"
        value={shown(kept.audit_log_days)}
        disabled={!isOwner}
        set={(text) => set("audit_log_days", told(text))}
      />
    </Section>
  );
}
