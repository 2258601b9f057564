import type { Capability } from "../event-queue/capabilities.ts";
import type { ServerTraits } from "./realm-part.ts";

/** How the client wants to see things. */
export interface RegisterView {
  has: ReadonlySet<Capability>;
  clientGravatar: boolean;
  includeSubscribers: "true" | "false" | "partial";
  slimPresence: boolean;
  presenceHistoryLimitDays: number;
  server: ServerTraits;
  /** The event types of an explicit list, for parts that depend on what else was asked for. */
  explicitTypes: ReadonlySet<string> | null;
}
