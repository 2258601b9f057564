/** The entry point of the page. */
import { render } from "preact";
import { App, AppContext } from "./model/app.ts";
import { showLastLook } from "./model/appearance.ts";
import "./style/page.css";
import { effect } from "@preact/signals";
import { spoken } from "./languages/speaking.ts";
import { speakFirst } from "./languages/speech.ts";
import { listenToDrops } from "./views/compose/drops.ts";
import { toLogin } from "./views/frame/connection-bar.tsx";
import { listenToKeys } from "./views/frame/keys.tsx";
import { Page } from "./views/frame/page.tsx";
import { listenToTouches } from "./views/messages/touches.ts";

showLastLook();
void speakFirst().then(begin);

function begin(): void {
  const app = new App();
  effect(() => {
    if (app.session.connection.value.state === "logged out") void app.offline.forget().then(toLogin);
  });
  listenToKeys(app);
  listenToDrops(app);
  listenToTouches(app);
  render(
    <AppContext.Provider value={app}>
      <Spoken />
    </AppContext.Provider>,
    document.getElementById("page")!,
  );
  app.start();
}

/** Another language draws everything anew. */
function Spoken() {
  return <Page key={spoken.value.language} />;
}
