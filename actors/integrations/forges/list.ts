/** Where code is kept. */
import { azuredevops } from "./azuredevops.ts";
import { bitbucket2 } from "./bitbucket2.ts";
import { bitbucket3 } from "./bitbucket3.ts";
import { forgejo, gitea, gogs } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";

export const forgeIntegrations = [azuredevops, bitbucket2, bitbucket3, forgejo, gitea, github, gitlab, gogs] as const;
