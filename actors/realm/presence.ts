/** Who is online: held in memory, written behind in batches. */
import type { RealmActor } from "./actor.ts";

export class Presence {
  constructor(private readonly realm: RealmActor) {}
  async load(): Promise<void> {
    void this.realm;
  }
  async flush(): Promise<void> {}
}
