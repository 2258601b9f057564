/**
 * What directories do to accounts. Each command is all or nothing. It does what people do by the commands of accounts,
 * so clients hear of it by the same events. A directory acts in the name of an owner, and never ends the last one.
 */
import type { UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { roles } from "../../storage/rows.ts";
import { findScimUserByName, findScimUsers, putScimUser, type ScimUserRow } from "../../storage/scim.ts";
import { changeMembers } from "../groups/changes/members.ts";
import { checkEmailDomain } from "../organization/email-domains.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { addPerson, checkFullName } from "../users/changes/accounts.ts";
import { changeEmail } from "../users/changes/address.ts";
import { endAccount, reopenAccount } from "../users/changes/states.ts";
import { changeFullName } from "../users/changes/update.ts";
import { userAttributes } from "./attributes.ts";
import { type Operation, patched } from "./patch.ts";
import { hasChanged, noResource, refusal } from "./refusals.ts";
import {
  checkedAddressOf,
  fullNameOf,
  isProvisioned,
  nameLike,
  namesVersion,
  type Provisioned,
  rowOf,
  type UserDocument,
  userDocument,
  versionOf,
  wholeName,
} from "./user-document.ts";

/**
 * Adds an account without a password. One that a directory has deleted comes back.
 *
 * @throws 409 where there is one of that userName or address, 400
 */
export const createScimUser = command(
  async (tx: Tx, { actorId, document }: { actorId: UserId; document: UserDocument }) => {
    const actor = tx.user(actorId);
    const address = checkedAddressOf(document);
    const former = await findFormer(tx, document.userName, address);
    if (former) {
      await change(tx, actor, former, { ...document, active: document.active ?? true });
      return { user_id: former.user.id };
    }
    checkEmailDomain(tx.state, address);
    const fullName = checkFullName(fullNameOf(document), tx.state);
    const user = await addPerson(tx, { email: address, fullName, passwordHash: null, role: roles.member });
    tx.write((sql) => putScimUser(sql, rowOf(user, document)));
    // Only a commit later there is an account that can be ended.
    if (document.active === false)
      tx.later((next) => endAccount(next, next.state.users.get(actor.id) ?? actor, next.state.users.get(user.id)));
    return { user_id: user.id };
  },
);

/** What a directory wants of a resource: all of it (PUT), or some changes (PATCH). */
export type Wanted = { document: UserDocument } | { operations: Operation[] };

interface ChangeArgs {
  actorId: UserId;
  userId: UserId;
  wanted: Wanted;
  /** The `If-Match` of the request; empty: any version. */
  ifMatch: string;
}

/** Changes an account. @throws 404, 412, 409, 400, CANNOT_DEACTIVATE_LAST_USER */
export const changeScimUser = command(async (tx: Tx, { actorId, userId, wanted, ifMatch }: ChangeArgs) => {
  const actor = tx.user(actorId);
  const provisioned = await accessProvisioned(tx, userId, ifMatch);
  const before = userDocument(provisioned.user, provisioned.row);
  const document =
    "document" in wanted
      ? { ...wanted.document, active: wanted.document.active ?? before.active }
      : (patched(userAttributes, before, wanted.operations) as UserDocument);
  await change(tx, actor, provisioned, document);
  return {};
});

/**
 * Deactivates an account, which is in no group and seen by no directory any more.
 *
 * @throws 404, 412, CANNOT_DEACTIVATE_LAST_USER
 */
export const removeScimUser = command(async (tx: Tx, args: Omit<ChangeArgs, "wanted">) => {
  const actor = tx.user(args.actorId);
  const { user, row } = await accessProvisioned(tx, args.userId, args.ifMatch);
  // Before the account ends: clients drop whoever is deactivated from groups, and could not do so twice.
  for (const group of tx.state.groups.byId.values())
    if (!group.is_system_group && tx.state.groups.hasDirectMember(group.id, user.id))
      changeMembers(tx, group, { added: [], deleted: [user.id], addedGroups: [], deletedGroups: [] });
  if (user.is_active) endAccount(tx, actor, user);
  const kept = row ?? rowOf(user, userDocument(user, row));
  tx.write((sql) => putScimUser(sql, { ...kept, is_removed: true }));
  return {};
});

/** Makes an account what a directory wants it to be. */
async function change(tx: Tx, actor: UserRow, { user, row }: Provisioned, wanted: UserDocument): Promise<void> {
  const before = userDocument(user, row);
  const document = withoutMade(wanted, before, row);
  if (document.userName !== before.userName) await checkFreeName(tx, user, document.userName);
  const name = newNameOf(document, before);
  const address = newAddressOf(document, before);
  let next = name === undefined ? user : changeFullName(tx, user, checkFullName(name, tx.state, user.id));
  if (address !== undefined && address !== user.delivery_email) {
    const holder = tx.state.userByEmail(address);
    if (holder && holder.id !== user.id) throw refusal("uniqueness", `Another account has the address ${address}.`);
    checkEmailDomain(tx.state, address);
    // The directory answers for it.
    next = changeEmail(tx, next, address, true);
  }
  if (document.active === false && user.is_active) endAccount(tx, actor, next);
  if (document.active === true && !user.is_active) reopenAccount(tx, actor, next);
  tx.write((sql) => putScimUser(sql, rowOf(user, document)));
}

/** A document without what this server made up for want of anything better, and the directory left as it was. */
function withoutMade(document: UserDocument, before: UserDocument, row: ScimUserRow | undefined): UserDocument {
  const own = { ...document };
  for (const made of ["name", "displayName", "emails"] as const)
    if (row?.attributes[made] === undefined && document[made] === before[made]) delete own[made];
  return own;
}

/** The name that an account is to have; undefined: as it is. */
function newNameOf(document: UserDocument, before: UserDocument): string | undefined {
  if (document.displayName !== undefined)
    return document.displayName === before.displayName ? undefined : nameLike(document.displayName);
  const whole = wholeName(document.name);
  return whole === undefined || whole === wholeName(before.name) ? undefined : nameLike(whole);
}

/** The address that an account is to have; undefined: as it is. */
function newAddressOf(document: UserDocument, before: UserDocument): string | undefined {
  const isNamed =
    document.emails !== undefined || (document.userName !== before.userName && document.userName.includes("@"));
  return isNamed ? checkedAddressOf(document) : undefined;
}

/** @throws 404, 412 */
async function accessProvisioned(tx: Tx, userId: UserId, ifMatch: string): Promise<Provisioned> {
  const user = tx.state.users.get(userId);
  const [row] = await findScimUsers(tx.sql, [userId]);
  if (!isProvisioned(user, row)) throw noResource("user", String(userId));
  if (ifMatch !== "" && !namesVersion(ifMatch, versionOf(userDocument(user, row)))) throw hasChanged();
  return { user, row };
}

/**
 * The account that a new one of this name and address once was: a directory has deleted it.
 *
 * @throws 409 where the account is there, or is somebody else's
 */
async function findFormer(tx: Tx, userName: string, address: string): Promise<Provisioned | undefined> {
  const taken = refusal("uniqueness", `There is an account for ${userName} already.`);
  const named = await findByName(tx, userName);
  const holder = tx.state.userByEmail(address);
  const user = named ?? holder;
  if (!user) return undefined;
  if (holder && holder.id !== user.id) throw taken;
  const [row] = await findScimUsers(tx.sql, [user.id]);
  if (user.is_bot || isProvisioned(user, row)) throw taken;
  return { user, row };
}

/** The account that directories know by this name, or would. */
async function findByName(tx: Tx, userName: string): Promise<UserRow | undefined> {
  const named = await findScimUserByName(tx.sql, tx.realmId, userName.toLowerCase());
  if (named) return tx.state.users.get(named.user_id);
  const holder = tx.state.userByEmail(userName);
  // One that has another name there does not go by its address.
  return holder && (await findScimUsers(tx.sql, [holder.id])).length === 0 ? holder : undefined;
}

/** @throws 409 */
async function checkFreeName(tx: Tx, user: UserRow, userName: string): Promise<void> {
  const holder = await findByName(tx, userName);
  if (holder && holder.id !== user.id) throw refusal("uniqueness", `Another account has the userName ${userName}.`);
}
