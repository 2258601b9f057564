/** Loads a part of the page on first use. */
import { type Signal, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { pause } from "../../../client/pause.ts";
import { t } from "../../texts.ts";

const retryMs = 3000;

/** A component that loads another one, and then shows it. It tries again while the server does not answer. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded: Signal<ComponentType<P> | undefined> = signal(undefined);
  let isAsked = false;
  const ask = (): void => {
    load().then(
      (component) => (loaded.value = component),
      () => void pause(retryMs).then(ask),
    );
  };
  return function Lazy(props: P) {
    if (!isAsked) {
      isAsked = true;
      ask();
    }
    const Component = loaded.value;
    return Component ? <Component {...props} /> : <p class="loading">{t.loading}</p>;
  };
}
