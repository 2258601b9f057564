/** What a client asked for when it registered: all that is needed to revive its queue on any node. */

import type { Capability } from "./capabilities.ts";

/** A term as clients send it, checked for form. The meaning of its operand is found later. */
export interface NarrowTerm {
  operator: string;
  operand: unknown;
  negated: boolean;
}

export interface Registration {
  /** null: every type. */
  event_types: string[] | null;
  narrow: NarrowTerm[];
  apply_markdown: boolean;
  client_gravatar: boolean;
  slim_presence: boolean;
  all_public_streams: boolean;
  /** Whether new subscriptions carry their subscribers. */
  include_subscribers: boolean;
  capabilities: Capability[];
  /** Client name, from the User-Agent. */
  client: string;
  /** It is for an assistant, whose queues end before those of people's clients. */
  isAssistant?: true;
}
