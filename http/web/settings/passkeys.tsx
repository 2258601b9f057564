/** The person's passkeys: a list, and a form for another one. */
import { useApp } from "../model/app.ts";
import { confirmDialog } from "../views/frame/layers.tsx";
import { ago, fullTime } from "../views/parts/dates.ts";
import { hasPasskeys, makePasskey, type PasskeyQuestion } from "../wire/passkeys.ts";
import { Action, AddForm, Rows, TextField } from "./fields.tsx";
import { s } from "./texts.ts";

export interface PasskeyRecord {
  id: number;
  name: string;
  date_created: number;
  last_used: number | null;
  is_synced: boolean;
  is_blocked: boolean;
}

const path = "/users/me/passkeys";

interface Props {
  passkeys: readonly PasskeyRecord[];
  /** Whether the last second factor may be ended. */
  mayEndLast: boolean;
  /** Something has changed. @param codes recovery codes, which are shown this once */
  changed(codes?: readonly string[]): void;
}

export function Passkeys({ passkeys, mayEndLast, changed }: Props) {
  const app = useApp();
  const add = async ({ name = "" }: Record<string, string>) => {
    const question = await app.actions.try<PasskeyQuestion<PublicKeyCredentialCreationOptionsJSON>>(
      "POST",
      `${path}/options`,
    );
    if (!question) return undefined;
    const made = await makePasskey(question);
    if (!made) {
      app.ui.note(s.noPasskeyMade, "problem");
      return undefined;
    }
    const added = await app.actions.try<{ recovery_codes: string[] }>("POST", path, { ...made, name });
    if (added) changed(added.recovery_codes);
    return added;
  };
  const end = async (id: number) => {
    if (await app.actions.try("DELETE", `${path}/${id}`)) changed();
  };
  const rename = async (id: number, name: string) => {
    const done = await app.actions.try("PATCH", `${path}/${id}`, { name });
    changed();
    return done;
  };
  return (
    <>
      <h4>{s.passkeys}</h4>
      <p class="soft">{s.passkeysHint}</p>
      {passkeys.length > 0 && (
        <Rows
          items={passkeys}
          row={(passkey) => (
            <>
              <Known passkey={passkey} rename={(name) => rename(passkey.id, name)} />
              {(passkeys.length > 1 || mayEndLast) && (
                <Action
                  isDangerous
                  label={s.endPasskey}
                  run={() =>
                    confirmDialog(app.ui, {
                      title: s.endPasskey,
                      text: s.endPasskeyHint(passkey.name),
                      action: s.endPasskey,
                      run: () => void end(passkey.id),
                    })
                  }
                />
              )}
            </>
          )}
        />
      )}
      {hasPasskeys() && <AddForm fields={[["name", s.newPasskeyName]]} action={s.addPasskey} run={add} />}
    </>
  );
}

/** What is known of a passkey. Its name can be changed. */
function Known({ passkey, rename }: { passkey: PasskeyRecord; rename(name: string): Promise<unknown> }) {
  return (
    <span>
      <TextField label={s.passkeyName} value={passkey.name} set={rename} />
      {passkey.is_blocked && <span class="tag">{s.passkeyBlocked}</span>}{" "}
      <span class="soft">
        {s.passkeyAdded(fullTime(passkey.date_created))},{" "}
        {passkey.last_used === null ? s.keyUnused : s.keyUsed(ago(passkey.last_used))}
      </span>
    </span>
  );
}
