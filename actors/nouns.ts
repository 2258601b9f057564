/**
 * Every noun of the server. The core of a realm knows none: it is handed the sum of what they add. What a noun adds is
 * in its own folder, so a new one is a line here.
 */

import { auditNoun } from "./audit/noun.ts";
import { botsNoun } from "./bots/changes/noun.ts";
import { callsNoun } from "./calls/noun.ts";
import { channelsNoun } from "./channels/changes/noun.ts";
import { complianceNoun } from "./compliance/noun.ts";
import { erasureNoun } from "./erasure/noun.ts";
import { eventQueueNoun } from "./event-queue/noun.ts";
import { groupsNoun } from "./groups/changes/noun.ts";
import { historyNoun } from "./history/noun.ts";
import { identitiesNoun } from "./identities/noun.ts";
import { invitationsNoun } from "./invitations/noun.ts";
import { ldapNoun } from "./ldap/noun.ts";
import { messagesNoun } from "./messages/changes/noun.ts";
import { notificationsNoun } from "./notifications/noun.ts";
import { organizationNoun } from "./organization/changes/noun.ts";
import { personalNoun } from "./personal/changes/noun.ts";
import { presenceNoun } from "./presence/changes/noun.ts";
import { pushNoun } from "./push/changes/noun.ts";
import { type Nouns, sumOf } from "./realm/noun.ts";
import { realmNoun } from "./realm/own-commands.ts";
import { retentionNoun } from "./retention/noun.ts";
import { scheduledNoun } from "./scheduled/changes/noun.ts";
import { scimNoun } from "./scim/noun.ts";
import { searchNoun } from "./search/noun.ts";
import { subscriptionsNoun } from "./subscriptions/changes/noun.ts";
import { topicsNoun } from "./topics/changes/noun.ts";
import { transferNoun } from "./transfer/noun.ts";
import { uploadsNoun } from "./uploads/noun.ts";
import { scanningNoun } from "./uploads/scanning/noun.ts";
import { usersNoun } from "./users/changes/noun.ts";

/**
 * Memories hear of an entry in this order. Event queues come last, so whoever is told of an event finds it in
 * everything else.
 */
const listed = [
  realmNoun,
  presenceNoun,
  topicsNoun,
  channelsNoun,
  subscriptionsNoun,
  messagesNoun,
  scheduledNoun,
  groupsNoun,
  usersNoun,
  botsNoun,
  personalNoun,
  pushNoun,
  organizationNoun,
  invitationsNoun,
  identitiesNoun,
  ldapNoun,
  scimNoun,
  callsNoun,
  uploadsNoun,
  scanningNoun,
  searchNoun,
  transferNoun,
  complianceNoun,
  retentionNoun,
  erasureNoun,
  auditNoun,
  historyNoun,
  notificationsNoun,
  eventQueueNoun,
] as const;

export const nouns: Nouns = sumOf(listed);

type Intersected<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

declare module "./realm/command.ts" {
  interface CommandVocabulary {
    commands: Intersected<Extract<(typeof listed)[number], { readonly commands: object }>["commands"]>;
  }
}
