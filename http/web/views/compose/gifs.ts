/** Who finds GIFs for messages. The picker is loaded on first use (`../dialogs/gif-picker.tsx`). */
import type { App } from "../../model/app.ts";

/** As they write their names. */
const names: Readonly<Record<string, string>> = { giphy: "GIPHY", klipy: "KLIPY" };

/** The name of the provider; undefined where the organization has none, or shows no pictures of other sites. */
export function gifProvider(app: App): string | undefined {
  const state = app.store.read("realm");
  const isShown = state["realm_gif_rating_policy"] !== 0 && state["realm_inline_image_preview"] === true;
  return isShown ? names[String(state["server_gif_provider"])] : undefined;
}
