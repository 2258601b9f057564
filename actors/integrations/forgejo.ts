/** https://forgejo.org/docs/latest/user/webhooks/ */
import { forgeEvents, readForge } from "./forge.ts";
import type { Integration } from "./integration.ts";

export const forgejo: Integration = { name: "forgejo", displayName: "Forgejo", events: forgeEvents, read: readForge };
