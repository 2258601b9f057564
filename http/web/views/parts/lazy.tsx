/** Loads a part of the page on first use. */
import { type Signal, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { pause } from "../../../client/pause.ts";
import { t } from "../../texts.ts";
import { isCurrent } from "../../wire/page-build.ts";

const retryMs = 3000;

/**
 * A component that loads another one, and then shows it. It tries again while the server does not answer. One that has
 * another build of the page has the part no more, so the page is to be loaded anew.
 */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded: Signal<ComponentType<P> | undefined> = signal(undefined);
  const isGone = signal(false);
  let isAsked = false;
  const ask = async (): Promise<void> => {
    for (;;) {
      try {
        loaded.value = await load();
        return;
      } catch {
        isGone.value = !(await isCurrent().catch(() => true));
      }
      await pause(retryMs);
    }
  };
  return function Lazy(props: P) {
    if (!isAsked) {
      isAsked = true;
      void ask();
    }
    const Component = loaded.value;
    if (Component) return <Component {...props} />;
    if (!isGone.value) return <p class="loading">{t.loading}</p>;
    return (
      <p class="loading" role="status">
        {t.outdated}{" "}
        <button type="button" class="link" onClick={() => location.reload()}>
          {t.reload}
        </button>
      </p>
    );
  };
}
