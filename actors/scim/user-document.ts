/**
 * An account as a directory sees it, and back. Names and addresses are kept as the directory wrote them. Somebody who
 * changes their name here is shown to the directory by the new one.
 */
import { createHash } from "node:crypto";
import type { UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { ScimUserRow } from "../../storage/scim.ts";
import { limits } from "../realm/state/settings.ts";
import { isLegible, withoutMisleading } from "../text/legible-name.ts";
import { beginning } from "../text/texts.ts";
import { fullNameLengths, unfitInNames } from "../users/changes/accounts.ts";
import { checkEmail } from "../users/changes/address.ts";
import type { Document } from "./attributes.ts";
import { refusal } from "./refusals.ts";

/** What is kept of an account's document. */
export interface UserDocument extends Document {
  userName: string;
  externalId?: string;
  name?: Record<string, string>;
  displayName?: string;
  emails?: { value: string; type?: string; primary?: boolean }[];
  active?: boolean;
}

/** An account that directories know of: a person's, neither deleted here nor by a directory. */
export function isProvisioned(user: UserRow | undefined, row: ScimUserRow | undefined): user is UserRow {
  if (!user || user.is_bot || user.is_system_bot || user.is_deleted) return false;
  // Somebody whom an administrator brought back is there again.
  return user.is_active || !row?.is_removed;
}

/** An account as it is now. */
export function userDocument(user: UserRow, row: ScimUserRow | undefined): UserDocument & { active: boolean } {
  const kept = (row?.attributes ?? {}) as Partial<UserDocument>;
  const userName = row?.user_name ?? user.delivery_email;
  const { displayName, emails } = kept;
  const isOwnName = displayName !== undefined && nameLike(displayName) === user.full_name;
  const isOwnAddress =
    emails !== undefined && addressOf({ userName, emails })?.toLowerCase() === user.delivery_email.toLowerCase();
  return {
    userName,
    ...(row?.external_id != null && { externalId: row.external_id }),
    ...(row ? kept.name && { name: kept.name } : { name: { formatted: user.full_name } }),
    displayName: isOwnName ? displayName : user.full_name,
    emails: isOwnAddress ? emails : [{ value: user.delivery_email, type: "work", primary: true }],
    active: user.is_active,
  };
}

/** The row of an account whose document this is. */
export function rowOf(
  user: Pick<UserRow, "id" | "realm_id">,
  { userName, externalId, ...document }: UserDocument,
): ScimUserRow {
  const { name, displayName, emails } = document;
  return {
    user_id: user.id,
    realm_id: user.realm_id,
    user_name: userName,
    user_name_key: userName.toLowerCase(),
    external_id: externalId ?? null,
    attributes: { ...(name && { name }), ...(displayName !== undefined && { displayName }), ...(emails && { emails }) },
    is_removed: false,
  };
}

/** The account's address: the primary one, else the first, else a userName that is one. Undefined: there is none. */
export function addressOf({ userName, emails = [] }: Pick<UserDocument, "userName" | "emails">): string | undefined {
  const chosen = emails.find(({ primary }) => primary) ?? emails.find(({ type }) => type === "work") ?? emails[0];
  return chosen?.value.trim() ?? (userName.includes("@") ? userName.trim() : undefined);
}

/** @throws a 400 with `invalidValue` for a document without an address, or with a wrong one */
export function checkedAddressOf(document: UserDocument): string {
  const address = addressOf(document);
  if (address === undefined) throw refusal("invalidValue", "emails is missing, and userName is no address.");
  return checkEmail(address);
}

/** What people see: the name to be shown, else the whole name or its parts, else the userName. */
export function fullNameOf({ userName, displayName, name }: UserDocument): string {
  return nameLike(displayName ?? wholeName(name) ?? userName.replace(/@.*/, ""));
}

/** The name that its parts make. */
export function wholeName(name: UserDocument["name"]): string | undefined {
  if (!name) return undefined;
  const parts = [name["givenName"], name["middleName"], name["familyName"]].filter((part) => part !== undefined);
  return name["formatted"] ?? (parts.length > 0 ? parts.join(" ") : undefined);
}

const unfit = new RegExp(unfitInNames.source, "gu");

/** A name that an account can have, as near to this one as can be: a directory's names may have any character. */
export function nameLike(name: string): string {
  const fit = withoutMisleading(name.replace(unfit, " "));
  const cut = beginning(fit, limits.fullName).trim();
  if (!isLegible(cut)) return "Somebody";
  return cut.length < fullNameLengths.minLength ? `${cut}.` : cut;
}

/** Names the state of a document. It changes with any attribute. */
export function versionOf(document: Document): string {
  const ordered = JSON.stringify(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1)));
  return `W/"${createHash("sha256").update(ordered).digest("base64url").slice(0, 22)}"`;
}

/** Whether a header names this version. */
export function namesVersion(header: string, version: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").some((tag) => opaque(tag) === opaque(version));
}

/** An id as directories have it. Undefined: it is none. */
export function idIn<Id extends number = UserId>(text: string): Id | undefined {
  return /^\d{1,15}$/.test(text) ? (Number(text) as Id) : undefined;
}

/** An account, and what a directory has told of it. */
export interface Provisioned {
  user: UserRow;
  row: ScimUserRow | undefined;
}

/** The resource of an account, with its address and version. @param url of all accounts */
export function userResource({ user, row }: Provisioned, url: string): Document {
  const document = userDocument(user, row);
  return {
    id: String(user.id),
    ...document,
    meta: metaOf("User", user.date_joined, `${url}/${user.id}`, versionOf(document)),
  };
}

export const metaOf = (resourceType: string, createdAt: number, location: string, version: string): Document => ({
  resourceType,
  created: new Date(createdAt * 1000).toISOString(),
  location,
  version,
});
