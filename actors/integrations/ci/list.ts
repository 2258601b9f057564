/** What builds, checks and delivers. */
import { appveyor } from "./appveyor.ts";
import { circleci } from "./circleci.ts";
import { gocd } from "./gocd.ts";
import { harbor } from "./harbor.ts";
import { jenkins } from "./jenkins.ts";
import { netlify } from "./netlify.ts";
import { rundeck } from "./rundeck.ts";
import { semaphore } from "./semaphore.ts";
import { sonarqube } from "./sonarqube.ts";
import { teamcity } from "./teamcity.ts";
import { travis } from "./travis.ts";

export const ciIntegrations = [
  appveyor,
  circleci,
  gocd,
  harbor,
  jenkins,
  netlify,
  rundeck,
  semaphore,
  sonarqube,
  teamcity,
  travis,
] as const;
