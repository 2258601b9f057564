/** Presence as each node that serves a realm remembers it. */
import type { PresenceRow } from "../../storage/users/presence.ts";
import { defineMemory } from "../realm/memory.ts";
import { Presence } from "./presence.ts";

export const presenceMemory = defineMemory<Presence, readonly PresenceRow[]>({
  name: "presence",
  async load(realm, unsaved) {
    const presence = new Presence(realm);
    realm.state.watch(presence);
    await presence.load(unsaved);
    return presence;
  },
  apply(presence, { position, presence: change }) {
    if (change) presence.apply(position, change);
  },
  // A replica that read on from PostgreSQL has passed over what is not stored.
  applyLate(presence, { position, presence: change }) {
    if (change) presence.apply(position, change);
  },
  decide: (presence, entry) => entry.presence && presence.decide(entry.presence),
  sweep: (presence, now) => presence.sweep(now),
  stop: (presence) => presence.flush(),
  close: (presence) => presence.unsaved(),
});
