import { alertSamples } from "./alerts.ts";
import { ciSamples } from "./ci.ts";
import { forgeSamples } from "./forges.ts";
import { githubSamples } from "./github.ts";
import { gitlabSamples } from "./gitlab.ts";
import { messageSamples } from "./messages.ts";
import { projectSamples } from "./projects.ts";
import type { Sample } from "./sample.ts";
import { supportSamples } from "./support.ts";

export type { Sample } from "./sample.ts";

/** What every service posts, a payload for each event. */
export const samples: readonly Sample[] = [
  ...githubSamples,
  ...gitlabSamples,
  ...forgeSamples,
  ...ciSamples,
  ...alertSamples,
  ...projectSamples,
  ...supportSamples,
  ...messageSamples,
];
