/** Where work is planned and written down. */
import { clickup } from "./clickup.ts";
import { dropbox } from "./dropbox.ts";
import { jira } from "./jira.ts";
import { linear } from "./linear.ts";
import { notion } from "./notion.ts";
import { trello } from "./trello.ts";

export const projectIntegrations = [clickup, dropbox, jira, linear, notion, trello] as const;
