/** The whole page. */
import { useEffect } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { Compose } from "../compose/compose.tsx";
import { KeptNarrows } from "../messages/kept-narrows.tsx";
import { lazy } from "../parts/lazy.tsx";
import { Inbox } from "../places/inbox.tsx";
import { Direct, Recent } from "../places/recent.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { Header } from "./header.tsx";
import { Dialogs, Top } from "./layers.tsx";
import { LazyIdentity, LazySettings } from "./lazy.tsx";
import { PeoplePane } from "./people-pane.tsx";
import { Sidebar } from "./sidebar.tsx";

const LazyDrafts = lazy(() => import("../places/drafts.tsx").then((module) => module.Drafts));
const LazyTopics = lazy(() => import("../places/topics.tsx").then((module) => module.Topics));
const LazyScheduled = lazy(() => import("../places/scheduled.tsx").then((module) => module.Scheduled));
const LazyReminders = lazy(() => import("../places/scheduled.tsx").then((module) => module.Reminders));

export function Page() {
  const app = useApp();
  useEffect(() => {
    app.ui.identityDialog = (done) => <LazyIdentity done={done} />;
  }, []);
  void app.store.version("realm");
  if (app.store.state["realm_name"] === undefined) return <Starting />;
  const { isLeftOpen, isRightOpen } = app.ui;
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it goes to a part of the page, and the hash names the open place. */}
      <a class="skip-link" href="#content" onClick={skipToContent}>
        {t.skipToContent}
      </a>
      <div class={`page${isRightOpen.value ? " with-right" : ""}`}>
        <Sidebar />
        {isLeftOpen.value && (
          <button type="button" class="shade" aria-label={t.close} onClick={() => (isLeftOpen.value = false)} />
        )}
        <div class="middle">
          <ConnectionBar />
          <Header />
          <main id="content" tabIndex={-1}>
            <Middle />
          </main>
          <BottomBar />
        </div>
        {isRightOpen.value && (
          <>
            <button
              type="button"
              class="shade of-people"
              aria-label={t.close}
              onClick={() => (isRightOpen.value = false)}
            />
            <PeoplePane />
          </>
        )}
      </div>
      {app.route.overlay.value && <LazySettings overlay={app.route.overlay.value} />}
      <Dialogs />
      {!app.route.overlay.value && app.ui.dialogs.value.length === 0 && <Top />}
    </>
  );
}

/** The address says which place is open, so the link must not change it. */
function skipToContent(event: Event): void {
  event.preventDefault();
  const list = document.querySelector<HTMLElement>("main .virtual-list, main [data-row]");
  (list ?? document.querySelector<HTMLElement>("main"))?.focus();
}

function Middle() {
  switch (useApp().route.place.value.view) {
    case "inbox":
      return (
        <>
          <Inbox />
          <Compose />
        </>
      );
    case "recent":
      return (
        <>
          <Recent />
          <Compose />
        </>
      );
    case "direct":
      return (
        <>
          <Direct />
          <Compose />
        </>
      );
    case "topics":
      return (
        <>
          <LazyTopics />
          <Compose />
        </>
      );
    case "drafts":
      return <LazyDrafts />;
    case "scheduled":
      return <LazyScheduled />;
    case "reminders":
      return <LazyReminders />;
    default:
      return (
        <>
          <KeptNarrows />
          <Compose />
        </>
      );
  }
}

function Starting() {
  const { session } = useApp();
  const { state } = session.connection.value;
  return (
    <main class="starting" aria-busy="true">
      <img src="/static/icon.svg" alt="" width="64" height="64" />
      <h1 class="visually-hidden">Parley</h1>
      <p role="status">{state === "offline" ? session.error.value || t.offline : t.starting}</p>
    </main>
  );
}
