/** What requests are answered with: all that a handler may use of the process. */
import type { Logger } from "pino";
import type { Gifs } from "../../actors/gifs/gifs.ts";
import type { OpenIdClient } from "../../actors/identities/open-id-client.ts";
import type { LdapClient } from "../../actors/ldap/client.ts";
import type { ChangeableLevels } from "../../actors/logger.ts";
import type { Turns } from "../../actors/realm/turns.ts";
import type { Summaries } from "../../actors/summaries/summaries.ts";
import type { Tracer } from "../../actors/tracing.ts";
import type { FileStore } from "../../storage/files/file-store.ts";
import type { ExternalContents } from "../external-content/external-content.ts";
import type { WebFiles } from "../pages/web-files.ts";
import type { PictureMaker } from "../pictures/picture-maker.ts";
import type { Config } from "../process/config.ts";
import type { Homes } from "../process/homes/homes.ts";
import type { Admission } from "../server/admission.ts";
import type { AnswerBudget } from "../server/answer-budget.ts";
import type { BodyBudget } from "../server/body-budget.ts";
import type { LoadedUws } from "../server/builds/uws.ts";
import type { KeptAnswers } from "../server/kept-answers.ts";
import type { RequestTurns } from "../server/request-turns.ts";
import type { Takeovers } from "../server/takeovers.ts";
import type { Attempts } from "./attempts.ts";
import type { Authenticator } from "./auth.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { ReadTurns } from "./read-turns.ts";
import type { RateLimiters } from "./realm-rates.ts";
import type { RawReply } from "./reply.ts";

/** The settings that requests are about. */
export type ApiSettings = Pick<
  Config,
  | "accountUploadQuotaMib"
  | "adminToken"
  | "commandDeadlineMs"
  | "externalUrl"
  | "hasRateLimits"
  | "invitationValidityMinutes"
  | "isDevelopment"
  | "isDevelopmentOpen"
  | "isUrlChosen"
  | "maxUploadMib"
  | "jwtKeys"
  | "jwtMaxAgeSecs"
  | "previewsLinks"
  | "pushRelayUrl"
  | "pushService"
  | "readTimeoutMs"
  | "realmUploadQuotaMib"
  | "servesAssistants"
  | "showsExternalContent"
  | "trustedProxies"
  | "webPublicChannelsEnabled"
>;

/** The API as it describes itself. */
interface ApiDescription {
  /** The OpenAPI document, as JSON. @param url address of the organization, or `/` */
  document(url: string): string;
  /** The same for people. */
  page(shown: { realmName: string; url: string }): Promise<RawReply>;
}

/** What is counted of requests, and shown to whoever runs the server. */
interface RequestMetrics {
  /** @param seconds from its head to its answer */
  request(route: string, method: string, status: number, seconds: number): void;
  logInRefused(by: "password" | "api_key"): void;
  poll(): void;
  text(): Promise<string>;
  readonly contentType: string;
}

export interface App {
  config: ApiSettings;
  system: Homes;
  authenticator: Authenticator;
  /** Asks providers of identities. */
  openIdClient: OpenIdClient;
  /** Asks directories by whose passwords people log in. */
  ldapClient: LdapClient;
  /** For everything outside of organizations with limits of their own. */
  rateLimiter: RateLimiter;
  rateLimiters: RateLimiters;
  attempts: Attempts;
  bodies: BodyBudget;
  /** Uploads, pictures and exports. */
  files: FileStore;
  /** Bytes of files that are on the disk and not yet whole. */
  incoming: BodyBudget;
  /** Uploads that come in parts, by whose request is at them. */
  resumed: Takeovers;
  answers: AnswerBudget;
  /** Whole states, which everybody asks for at once after a restart. */
  wholeStates: Admission;
  /** Turns of large bodies, to be read. */
  largeBodies: Turns;
  metrics: RequestMetrics;
  log: Logger;
  logLevels: ChangeableLevels;
  /** Undefined: nothing is traced. */
  tracer: Tracer | undefined;
  description: ApiDescription;
  uws: LoadedUws;
  turns: RequestTurns;
  readTurns: ReadTurns;
  keptAnswers: KeptAnswers;
  pictures: PictureMaker;
  /** Whether nobody has an upload before it is known to be clean. */
  scansUploads: boolean;
  /** Undefined: messages show nothing of other sites. */
  externalContents: ExternalContents | undefined;
  /** Undefined: the server has no language model. */
  summaries: Summaries | undefined;
  /** Finds GIFs; undefined: nobody does. */
  gifs: Gifs | undefined;
  /** The page that people chat on. */
  webFiles: WebFiles;
  /** `draining` once the server was asked to stop. */
  health: { state: "starting" | "ready" | "draining" };
}
