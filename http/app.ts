/** What the HTTP layer is made of; put together in `main.ts`. */
import type { Logger } from "pino";
import type { ActorSystem } from "../actors/system.ts";
import type { Authenticator } from "./auth.ts";
import type { Config } from "./config.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { HttpMetrics } from "./metrics.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { RequestTurns } from "./request-turns.ts";
import type { Router } from "./router.ts";
import type { LoadedUws } from "./uws.ts";

export interface App {
  config: Config;
  system: ActorSystem;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  metrics: HttpMetrics;
  log: Logger;
  router: Router;
  uws: LoadedUws;
  turns: RequestTurns;
  keptAnswers: KeptAnswers;
  /** `draining` once the server was asked to stop. */
  health: { state: "starting" | "ready" | "draining" };
}
