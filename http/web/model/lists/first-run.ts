/** The first steps of whoever owns a new organization: which are done, and whether they are shown at all. */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { Channels } from "../channels.ts";
import type { Store } from "../store.ts";

export interface StepsDone {
  picture: boolean;
  people: boolean;
  channel: boolean;
}

export class FirstRun {
  readonly done: ReadonlySignal<StepsDone>;
  readonly isShown: ReadonlySignal<boolean>;

  constructor(store: Store, channels: Channels) {
    this.done = computed(() => {
      const { realm_users = [], avatar_source: source } = store.read("people");
      const all = channels.all.value;
      return {
        picture: source === "U",
        people: realm_users.filter(({ is_bot }) => !is_bot).length > 1,
        // Nobody made the one that every organization begins with.
        channel: all.length > 1 || all.some((one) => typeof one["creator_id"] === "number"),
      };
    });
    this.isShown = computed(() => {
      const { is_owner: isOwner, onboarding_steps: steps } = store.read("personal", "people");
      // A server of an older version does not have the step.
      const isAhead = Array.isArray(steps) && steps.some((step) => step?.name === "first_run");
      const { people, channel } = this.done.value;
      return isOwner === true && isAhead && !(people && channel);
    });
  }
}
