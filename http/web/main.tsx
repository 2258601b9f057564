/** The entry point of the page. */
import { render } from "preact";
import { App, AppContext } from "./model/app.ts";
import { showLastLook } from "./model/appearance.ts";
import "./style/page.css";
import { effect } from "@preact/signals";
import { listenToDrops } from "./views/compose/drops.ts";
import { toLogin } from "./views/frame/connection-bar.tsx";
import { listenToKeys } from "./views/frame/keys.tsx";
import { Page } from "./views/frame/page.tsx";

showLastLook();
const app = new App();
effect(() => {
  if (app.session.connection.value.state === "logged out") void app.offline.forget().then(toLogin);
});
listenToKeys(app);
listenToDrops(app);
render(
  <AppContext.Provider value={app}>
    <Page />
  </AppContext.Provider>,
  document.getElementById("page")!,
);
app.start();
