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
  useReloadWhenIdle(connection.state === "outdated" && app.compose.text.value === "");
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

function useReloadWhenIdle(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => location.reload(), idleMs);
    };
    wait();
    const types = ["keydown", "pointerdown", "pointermove"];
    for (const type of types) addEventListener(type, wait);
    return () => {
      clearTimeout(timer);
      for (const type of types) removeEventListener(type, wait);
    };
  }, [isWanted]);
}

/** Opens the log-in page, which leads back to the present place. */
export function toLogin(): void {
  location.replace(`/login/${location.hash ? `?next=${encodeURIComponent(location.hash)}` : ""}`);
}
