/**
 * What is computed from a registration, shared by all queues that asked for the same. An organization has thousands of
 * queues, but a handful of versions of apps.
 */

import type { Capability } from "../events/capabilities.ts";
import type { MessageForm } from "../events/form.ts";
import { messageForm } from "../events/message-forms.ts";
import type { Registration } from "../events/registration.ts";
import { makeFilter, type QueueFilter } from "./filter.ts";

export interface QueueProfile {
  registration: Registration;
  has: ReadonlySet<Capability>;
  messageForm: MessageForm;
  filter: QueueFilter;
}

/** At this many different registrations the table is emptied. Queues keep the profiles they have. */
const maxProfiles = 10_000;
/** Characters of all these registrations: each may be thousands long. */
const maxProfileLength = 8_000_000;

export class QueueProfiles {
  readonly #profiles = new Map<string, QueueProfile>();
  #length = 0;

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
    if (this.#profiles.size >= maxProfiles || this.#length + key.length > maxProfileLength) {
      this.#profiles.clear();
      this.#length = 0;
    }
    this.#profiles.set(key, profile);
    this.#length += key.length;
    return profile;
  }
}
