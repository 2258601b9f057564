/** The menu of the person themselves: their status, their settings, the organization's, and the way out. */
import type { App } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { MenuItems } from "./layers.tsx";
import { LazyStatus } from "./lazy.tsx";

export function openOwnMenu(app: App, of: Element): void {
  const { route, ui, permissions } = app;
  const isShown = app.store.state.user_settings?.["presence_enabled"] !== false;
  ui.openMenu(of, t.menu, () => (
    <MenuItems
      items={[
        { icon: "smile", label: t.setStatus, run: () => ui.openDialog(() => <LazyStatus />) },
        {
          icon: "eye",
          label: isShown ? t.goInvisible : t.goVisible,
          run: () => void app.actions.setSetting("presence_enabled", !isShown),
        },
        { icon: "settings", label: t.settings, run: () => route.go("#settings/profile") },
        { icon: "hash", label: t.channels, run: () => route.go("#channels") },
        { icon: "people", label: t.groups, run: () => route.go("#groups") },
        { icon: "globe", label: t.organization, run: () => route.go("#organization/profile") },
        app.store.state["can_invite_others_to_realm"] === true &&
          !permissions.isGuest && { icon: "plus", label: t.invite, run: () => route.go("#invite") },
        undefined,
        { icon: "palette", label: t.keyboard, run: () => route.go("#keyboard") },
        { icon: "door", label: t.logOut, run: () => logOut(app) },
      ]}
    />
  ));
}

function logOut(app: App): void {
  app.session.pauseWhile(async () => {
    const done = await app.actions.try<{ logout_url?: string }>("POST", "/sessions/end");
    if (!done) return;
    await app.offline.forget();
    location.assign(done.logout_url ?? "/login/");
    // The page is being left: nothing goes on in it.
    await new Promise(() => {});
  });
}
