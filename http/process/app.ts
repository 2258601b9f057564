/** The parts of the HTTP layer, put together in `main.ts`. */
import type { Logger } from "pino";
import type { Turns } from "../../actors/realm/turns.ts";
import type { ActorSystem } from "../../actors/system.ts";
import type { Attempts } from "../api/attempts.ts";
import type { Authenticator } from "../api/auth.ts";
import type { RateLimiter } from "../api/rate-limit.ts";
import type { ReadTurns } from "../api/read-turns.ts";
import type { RateLimiters } from "../api/realm-rates.ts";
import type { Router } from "../api/router.ts";
import type { ExternalContents } from "../external-content/external-content.ts";
import type { WebFiles } from "../pages/web-files.ts";
import type { PictureMaker } from "../pictures/picture-maker.ts";
import type { Admission } from "../server/admission.ts";
import type { AnswerBudget } from "../server/answer-budget.ts";
import type { BodyBudget } from "../server/body-budget.ts";
import type { LoadedUws } from "../server/builds/uws.ts";
import type { KeptAnswers } from "../server/kept-answers.ts";
import type { RequestTurns } from "../server/request-turns.ts";
import type { Config } from "./config.ts";
import type { HttpMetrics } from "./metrics.ts";

export interface App {
  config: Config;
  system: ActorSystem;
  authenticator: Authenticator;
  /** For everything outside of organizations with limits of their own. */
  rateLimiter: RateLimiter;
  rateLimiters: RateLimiters;
  attempts: Attempts;
  bodies: BodyBudget;
  answers: AnswerBudget;
  /** Whole states, which everybody asks for at once after a restart. */
  wholeStates: Admission;
  /** Turns of large bodies, to be read. */
  largeBodies: Turns;
  metrics: HttpMetrics;
  log: Logger;
  router: Router;
  uws: LoadedUws;
  turns: RequestTurns;
  readTurns: ReadTurns;
  keptAnswers: KeptAnswers;
  pictures: PictureMaker;
  /** Undefined: messages show nothing of other sites. */
  externalContents: ExternalContents | undefined;
  /** The page that people chat on. */
  webFiles: WebFiles;
  /** `draining` once the server was asked to stop. */
  health: { state: "starting" | "ready" | "draining" };
}
