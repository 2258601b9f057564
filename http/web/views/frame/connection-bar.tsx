/** A line about trouble with the connection. Empty while there is none. */
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";

/** After so long without typing, a reload does not disturb. */
const idleMs = 60_000;

export function ConnectionBar() {
  const app = useApp();
  const connection = app.session.connection.value;
  useEffect(
    () =>
      effect(() => {
        if (app.session.connection.value.state === "logged out") toLogin();
      }),
    [app],
  );
  const isIdle = app.compose.text.value === "";
  useReloadWhenIdle(connection.state === "outdated" && isIdle ? connection.reloadFromMs : undefined);
  if (connection.state === "offline")
    return (
      <div class="connection" role="status">
        {t.offline}{" "}
        <button type="button" class="link" onClick={() => dispatchEvent(new Event("parley:retry"))}>
          {t.retryNow}
        </button>
      </div>
    );
  if (connection.state === "outdated")
    return (
      <div class="connection" role="status">
        {t.outdated}{" "}
        <button type="button" class="link" onClick={() => location.reload()}>
          {t.reload}
        </button>
      </div>
    );
  return null;
}

function useReloadWhenIdle(fromMs: number | undefined): void {
  useEffect(() => {
    if (fromMs === undefined) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => location.reload(), Math.max(idleMs, fromMs - Date.now()));
    };
    wait();
    const types = ["keydown", "pointerdown", "pointermove"];
    for (const type of types) addEventListener(type, wait);
    return () => {
      clearTimeout(timer);
      for (const type of types) removeEventListener(type, wait);
    };
  }, [fromMs]);
}

/** Opens the log-in page, which leads back to the present place. */
export function toLogin(): void {
  location.replace(`/login/${location.hash ? `?next=${encodeURIComponent(location.hash)}` : ""}`);
}
