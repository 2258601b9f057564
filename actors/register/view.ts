import type { Capability } from "../events/capabilities.ts";
import type { ServerTraits } from "./realm-part.ts";

/** The format that the client wants. */
export interface RegisterView {
  has: ReadonlySet<Capability>;
  clientGravatar: boolean;
  includeSubscribers: "true" | "false" | "partial";
  slimPresence: boolean;
  presenceHistoryLimitDays: number;
  server: ServerTraits;
  /** The event types of an explicit list, for parts that depend on which others were asked for. */
  explicitTypes: ReadonlySet<string> | null;
}
