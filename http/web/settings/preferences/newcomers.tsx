/** What new people begin with. https://zulip.com/api/update-realm-user-settings-defaults */
import { useApp } from "../../model/app.ts";
import { Refusal, Section } from "../fields.tsx";
import { s } from "../texts.ts";
import { Display } from "./display.tsx";
import { NotificationSettings } from "./notifications.tsx";
import { ForNewcomers } from "./preferences.tsx";

export function Newcomers() {
  const app = useApp();
  return (
    <ForNewcomers.Provider value={true}>
      <Section title={s.newcomers} hint={s.newcomersHint}>
        <Refusal isShown={!app.permissions.isAdmin} />
      </Section>
      <Display />
      <NotificationSettings />
    </ForNewcomers.Provider>
  );
}
