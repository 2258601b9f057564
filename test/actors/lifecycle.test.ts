import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root, sources } from "../support/tree/imports.ts";

/** What sets a state, and the only files that have it. They step the machine, or act for a file that does. */
const setters: Record<string, { sets: RegExp; in: readonly string[] }> = {
  "a channel or folder": {
    sets: /\bis_archived(?:: (?!false,$|boolean|described|row\.|channel\.)| = )|\bis_archived = (?:true|false|excluded)/m,
    in: ["actors/channels/changes/archive.ts", "actors/channels/changes/folders.ts"],
  },
  "an account": {
    sets: /\bput\(tx, \{ \.\.\.user, is_imported_stub|\buser, is_active: |\bis_deleted: true,/,
    in: ["actors/users/changes/account-changes.ts", "actors/users/changes/states.ts"],
  },
  "an invitation": {
    sets: /(?<!function )\bupdateInvitations\(|update invitations/,
    in: ["actors/invitations/invitations.ts", "storage/invitations.ts"],
  },
  "an identity": {
    sets: /(?<!function )\bputIdentity\(|update identities set (?!last_used|missing_since)/,
    in: ["actors/identities/identities.ts"],
  },
  "a second factor": {
    sets: /(?<!function )\b(?:storeTotp|turnOnTotp)\(|is_on = true/,
    in: ["actors/users/changes/second-factors.ts", "storage/users/second-factors.ts"],
  },
  "a scheduled message": {
    sets: /\.\.\.row, failed: |\brow\.failed = |set failed = /,
    in: ["actors/scheduled/changes/messages.ts", "actors/scheduled/changes/reminders.ts"],
  },
  "an uploaded file": {
    sets: /(?<!function )\b(?:linkAttachments|unlinkAttachments|deleteAttachment)\(/,
    in: ["actors/uploads/uploads.ts"],
  },
  "a message": {
    sets: /(?<!function )\bdeleteMessageRows\(|delete from messages\b/,
    in: ["actors/messages/changes/erase.ts", "storage/messages/changes.ts"],
  },
  "a realm": { sets: /\bthis\.status = |\brealm\.status = /, in: ["actors/realm/realm.ts"] },
  "an event queue": { sets: /\bqueue\.state = (?!=)/, in: ["actors/event-queue/fan-out.ts"] },
  "a candidate": { sets: /\b(?:this|candidate)\.state = (?!=)/, in: ["actors/cluster/candidate.ts"] },
};

/** What was there before is brought in as it was. */
const isImport = (file: string): boolean => /^(?:actors|storage)\/transfer\//.test(file) || /migrations\//.test(file);

const product = ["actors", "storage"].flatMap(sources).filter((file) => !isImport(file));
const codeOf = (file: string): string =>
  readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|^import [^;]*;/gm, "");

describe("the state of a lifecycle", () => {
  for (const [whose, { sets, in: files }] of Object.entries(setters)) {
    it(`is set where its machine is stepped, and nowhere else: of ${whose}`, () => {
      expect(product.filter((file) => sets.test(codeOf(file))).sort()).toEqual(files);
    });
  }
});
