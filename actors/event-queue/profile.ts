/**
 * What is worked out from a registration, shared by all queues that asked for the same: the apps of an organization come in
 * a handful of versions, its queues in thousands.
 */

import { messageForm } from "../events/variants.ts";
import type { Capability } from "./capabilities.ts";
import { makeFilter, type QueueFilter } from "./filter.ts";
import type { Registration } from "./registration.ts";

export interface QueueProfile {
  registration: Registration;
  has: ReadonlySet<Capability>;
  messageForm: string;
  filter: QueueFilter;
}

/** Beyond this many different registrations sharing is given up for those before: they keep what they have. */
const maxProfiles = 10_000;

export class QueueProfiles {
  readonly #profiles = new Map<string, QueueProfile>();

  of(registration: Registration): QueueProfile {
    const key = JSON.stringify(registration);
    const known = this.#profiles.get(key);
    if (known) return known;
    const has = new Set(registration.capabilities);
    const profile = {
      registration,
      has,
      messageForm: messageForm(registration, has),
      filter: makeFilter(registration),
    };
    if (this.#profiles.size >= maxProfiles) this.#profiles.clear();
    this.#profiles.set(key, profile);
    return profile;
  }
}
