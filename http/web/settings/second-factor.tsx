/** The person's second factor: passkeys, codes of an application, and recovery codes. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { fullTime } from "../views/parts/dates.ts";
import { Action, AddForm, Choice, DangerousAction, entries, Refusal, Section, TextField } from "./fields.tsx";
import { type PasskeyRecord, Passkeys } from "./passkeys.tsx";
import { s } from "./texts.ts";

interface Factor {
  state: "off" | "enrolling" | "on";
  since: number | null;
  required_from: number | null;
  recovery_codes_left: number;
  has_totp: boolean;
  passkeys: PasskeyRecord[];
}

interface Begun {
  secret: string;
  otpauth_url: string;
  qr_code: { size: number; path: string };
}

const path = "/users/me/second_factor";

export function SecondFactor() {
  const app = useApp();
  const { answer, again } = useAnswer<{ second_factor: Factor }>(path);
  const begun = useSignal<Begun | undefined>(undefined);
  /** Recovery codes, which are shown this once. */
  const codes = useSignal<readonly string[]>([]);
  const begin = async () => {
    begun.value = await app.actions.try<Begun>("POST", `${path}/totp`);
  };
  /** Asks for what ends in new recovery codes. */
  const makeCodes = async (under: string, params = {}) => {
    const made = await app.actions.try<{ recovery_codes: string[] }>("POST", `${path}/${under}`, params);
    if (!made) return undefined;
    codes.value = made.recovery_codes;
    begun.value = undefined;
    again();
    return made;
  };
  const end = async (what = path) => {
    if (!(await app.actions.try("DELETE", what))) return;
    codes.value = [];
    again();
  };
  const factor = answer?.second_factor;
  return (
    <Section title={s.secondFactor} hint={s.secondFactorHint}>
      {codes.value.length > 0 && <RecoveryCodes codes={codes.value} />}
      {factor?.state === "on" && (
        <>
          <p>{s.factorOn(fullTime(factor.since ?? 0), factor.recovery_codes_left)}</p>
          <div class="own-actions">
            <Action label={s.newCodes} run={() => makeCodes("recovery_codes")} />
            {factor.required_from === null && (
              <DangerousAction label={s.endFactor} text={s.endFactorHint} run={() => void end()} />
            )}
            {factor.has_totp && factor.passkeys.length > 0 && (
              <DangerousAction label={s.endTotp} text={s.endTotpHint} run={() => void end(`${path}/totp`)} />
            )}
          </div>
        </>
      )}
      {factor && factor.state !== "on" && factor.required_from !== null && (
        <p>{s.factorRequired(fullTime(factor.required_from))}</p>
      )}
      {factor && !factor.has_totp && !begun.value && <Action label={s.setUpFactor} run={begin} />}
      {begun.value && <Enrolment of={begun.value} confirm={(code) => makeCodes("totp/confirm", { code })} />}
      {factor && (
        <Passkeys
          passkeys={factor.passkeys}
          mayEndLast={factor.required_from === null || factor.has_totp}
          changed={(made = []) => {
            if (made.length > 0) codes.value = made;
            again();
          }}
        />
      )}
    </Section>
  );
}

function Enrolment({ of: begun, confirm }: { of: Begun; confirm(code: string): Promise<unknown> }) {
  const { size, path: modules } = begun.qr_code;
  return (
    <>
      <p>{s.scan}</p>
      <svg class="qr-code" viewBox={`-4 -4 ${size + 8} ${size + 8}`} role="img" aria-label={s.qrCode}>
        <path fill="#fff" d={`M-4-4h${size + 8}v${size + 8}h-${size + 8}z`} />
        <path fill="#000" d={modules} />
      </svg>
      <p>
        {s.orSecret} <code>{begun.secret.replace(/.{4}(?=.)/g, "$& ")}</code>
      </p>
      <AddForm fields={[["code", s.factorCode]]} action={s.turnOn} run={({ code = "" }) => confirm(code)} />
    </>
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = `${codes.join("\n")}\n`;
  return (
    <>
      <p>{s.keepCodes}</p>
      <pre class="recovery-codes">{text}</pre>
      <a
        class="button small"
        download="recovery-codes.txt"
        href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
      >
        {s.downloadCodes}
      </a>
    </>
  );
}

interface Requirement {
  of: string;
  grace_days: number;
}

/** Of whom the organization requires one. */
export function RequiredSecondFactor() {
  const app = useApp();
  const { answer, again } = useAnswer<{ required_second_factor: Requirement }>("/realm/second_factor");
  const { isOwner } = app.permissions;
  if (!answer) return null;
  const { of, grace_days } = answer.required_second_factor;
  const set = async (change: Partial<Requirement>) => {
    const done = await app.actions.try("PATCH", "/realm/second_factor", change);
    again();
    return done;
  };
  return (
    <Section title={s.secondFactor} hint={s.requiredHint}>
      <Refusal isShown={!isOwner} text={s.ownersOnly} />
      <Choice
        label={s.requiredOf}
        value={of}
        disabled={!isOwner}
        choices={entries(s.requiredOfChoices)}
        set={(next) => set({ of: next })}
      />
      <TextField
        label={s.graceDays}
        type="number"
        value={String(grace_days)}
        disabled={!isOwner}
        set={(days) => set({ grace_days: Number(days) })}
      />
    </Section>
  );
}
