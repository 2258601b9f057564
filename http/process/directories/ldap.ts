/** `parley ldap …`: what a directory says of somebody, and whom it has no more. Log-ins are elsewhere. */
import { type Directory, directoryOf } from "../../../actors/identities/directories.ts";
import { linkedUser } from "../../../actors/identities/identities.ts";
import { findInDirectory } from "../../../actors/ldap/client.ts";
import type { DirectoryPerson } from "../../../actors/ldap/entry.ts";
import { endMissing, lookForMissing } from "../../../actors/ldap/missing.ts";
import type { RealmReader } from "../../../actors/realm/reader.ts";
import { roles } from "../../../storage/rows.ts";
import { type AdminResult, type Values, withRealm } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";

type Storage = Pick<RunningStorage, "database">;

function accessDirectory({ state }: RealmReader): Directory {
  const directory = directoryOf(state);
  if (!directory) throw new Error(`PARLEY_LDAP names no directory for ${state.host}.`);
  return directory;
}

/** What would come if somebody logged in. Changes nothing. */
export function checkLdap(storage: Storage, config: Config, values: Values): Promise<AdminResult> {
  const { file: name } = values;
  if (typeof name !== "string") throw new Error("Say whom: parley ldap check EMAIL");
  return withRealm(storage, config, values, async (realm) => {
    const directory = accessDirectory(realm);
    const found = await findInDirectory(directory, name);
    if (!found) throw new Error(`${directory.displayName} has nobody of the name ${name}, whom its filter takes.`);
    const { dn, person, described, avatar } = found;
    const account = await accountOf(realm, directory, found);
    const role = Object.entries(roles).find(([, number]) => number === described.role)?.[0] ?? null;
    const groups = described.groups.map(({ name: group, isMember }) => `${isMember ? "in" : "not in"} ${group}`);
    const fields = Object.entries(described.fields).map(([field, value]) => `${field}: ${value || "(none)"}`);
    const lines = [
      `Entry: ${dn}`,
      `Subject: ${person.subject}`,
      `Address: ${person.email ?? "(none: nobody joins without one)"}`,
      `Name: ${person.fullName || "(none)"}`,
      `Role: ${role ?? "(stays as it is)"}`,
      `Groups: ${groups.join(", ") || "(stay as they are)"}`,
      ...fields,
      `Picture: ${avatar ? `${avatar.length} bytes` : "(none)"}`,
      `Account: ${account}`,
    ];
    const data = {
      ...{ dn, subject: person.subject, email: person.email, full_name: person.fullName, role, account },
      ...{ groups: described.groups, profile: described.fields, picture_bytes: avatar?.length ?? null },
    };
    return { text: lines.join("\n"), data };
  });
}

async function accountOf(realm: RealmReader, { joining, domains }: Directory, { person }: DirectoryPerson) {
  const linked = await linkedUser(realm, person);
  if (linked) return `${linked.user.id} (${linked.user.delivery_email})${linked.user.is_active ? "" : ", deactivated"}`;
  if (person.email === null) return "none, and none is made";
  const holder = realm.state.userByEmail(person.email);
  if (holder) return `${holder.id} has the address, and is asked to show that it is theirs`;
  const domain = person.email.slice(person.email.lastIndexOf("@") + 1).toLowerCase();
  if (joining === "nobody" || (domains.length > 0 && !domains.includes(domain))) return "none, and none is made";
  return joining === "everybody" ? "a new one" : "a new one, with an invitation";
}

/** Says whom the directory has no more, and ends their accounts with `--deactivate`. */
export function syncLdap(storage: Storage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const directory = accessDirectory(realm);
    const { known, missing, limit } = await lookForMissing(realm, directory);
    const isTold = values["deactivate"] === true;
    if (isTold && missing.length > limit && values["even-many"] !== true)
      throw new Error(
        `${missing.length} of ${known} people are not in ${directory.displayName}, and at most ${limit} end at once. ` +
          "Nothing was done. If that is right, say --even-many.",
      );
    const ended = isTold ? await endMissing(realm, missing) : [];
    const people = missing.map(({ user }) => ({
      user_id: user.id,
      email: user.delivery_email,
      full_name: user.full_name,
      was_deactivated: ended.includes(user),
    }));
    const head = `${missing.length} of ${known} people are not in ${directory.displayName} any more${missing.length > 0 ? ":" : "."}`;
    const lines = people.map((one) =>
      [one.user_id, one.email, one.full_name, ...(one.was_deactivated ? ["deactivated"] : [])].join("\t"),
    );
    const hint = missing.length > 0 && !isTold ? ["Nothing was done: --deactivate ends their accounts."] : [];
    return { text: [head, ...lines, ...hint].join("\n"), data: { known, missing: people } };
  });
}
