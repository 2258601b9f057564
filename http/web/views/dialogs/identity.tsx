/** Asks the person to show again who they are. */
import { useSignal } from "@preact/signals";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { hasPasskeys, type PasskeyQuestion, showPasskey } from "../../wire/passkeys.ts";
import { Dialog } from "../frame/layers.tsx";
import { Form } from "../parts/form.tsx";
import { useAnswer } from "./use-answer.ts";

export function IdentityDialog({ done }: { done(isShown: boolean): void }) {
  const { actions, ui } = useApp();
  const { answer } = useAnswer<{ second_factor: { state: string; passkeys: object[] } }>("/users/me/second_factor");
  const password = useSignal("");
  const code = useSignal("");
  const close = (isShown: boolean) => {
    ui.closeDialog();
    done(isShown);
  };
  const submit = async () => {
    const shown = code.value ? { code: code.value } : { password: password.value };
    if (await actions.try("POST", "/users/me/reauthenticate", shown)) close(true);
  };
  const byPasskey = async () => {
    const question = await actions.try<PasskeyQuestion<PublicKeyCredentialRequestOptionsJSON>>(
      "POST",
      "/users/me/reauthenticate/options",
    );
    const shown = question && (await showPasskey(question));
    if (shown && (await actions.try("POST", "/users/me/reauthenticate", shown))) close(true);
  };
  return (
    <Dialog title={t.identity} onClose={() => close(false)}>
      <p>{t.identityHint}</p>
      <Form submit={submit}>
        <label>
          {t.password}
          <input
            type="password"
            autocomplete="current-password"
            value={password}
            required={code.value === ""}
            onInput={(event) => (password.value = event.currentTarget.value)}
          />
        </label>
        {answer?.second_factor.state === "on" && (
          <label>
            {t.orCode}
            <input
              autocomplete="one-time-code"
              value={code}
              onInput={(event) => (code.value = event.currentTarget.value)}
            />
          </label>
        )}
        <footer>
          {answer !== undefined && answer.second_factor.passkeys.length > 0 && hasPasskeys() && (
            <button type="button" class="button quiet" onClick={() => void byPasskey()}>
              {t.usePasskey}
            </button>
          )}
          <button type="submit" class="button">
            {t.goOn}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}
