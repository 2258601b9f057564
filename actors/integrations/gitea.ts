/** https://docs.gitea.com/usage/webhooks */
import { forgeEvents, readForge } from "./forge.ts";
import type { Integration } from "./integration.ts";

export const gitea: Integration = { name: "gitea", displayName: "Gitea", events: forgeEvents, read: readForge };
