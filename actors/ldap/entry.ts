/** What a directory's entry says of a person, read without trust in its form, and what follows from the settings. */
import type { Role } from "../../storage/rows.ts";
import { roles } from "../../storage/rows.ts";
import { addressIn, nameFrom, type Person } from "../identities/claims.ts";
import { type Directory, issuerOf } from "../identities/directories.ts";
import type { Entry } from "./connection.ts";

/** What an account is to be, as its directory says. */
export interface Described {
  /** Empty: the directory tells none. */
  fullName: string;
  /** Values of custom profile fields, by the fields' names. Empty: none. */
  fields: Readonly<Record<string, string>>;
  /** Undefined: the directory gives no roles. */
  role?: Role | undefined;
  /** Groups that are kept in step, by their names here. */
  groups: readonly { name: string; isMember: boolean }[];
}

/** Somebody of a directory. */
export interface DirectoryPerson {
  dn: string;
  person: Person;
  described: Described;
  /** The bytes of a picture. */
  avatar?: Buffer | undefined;
}

/** Characters of a value for a profile. No field takes more. */
const maxValue = 2000;
/** Groups of one person that are looked at. */
const maxGroups = 5000;

/** What of an entry is asked for. */
export function attributesOf(directory: Directory): string[] {
  const { idAttribute, emailAttribute, nameAttribute, avatarAttribute, profileFields, usernameAttributes } = directory;
  const names = [idAttribute, emailAttribute, nameAttribute, ...Object.values(profileFields), ...usernameAttributes];
  if (avatarAttribute !== undefined) names.push(avatarAttribute);
  if (usesGroups(directory)) names.push(directory.groupSearch ? "uid" : "memberOf");
  return [...new Set([...names, ...endingsOf(directory)])];
}

/** Where Active Directory says that an account is disabled, or when it expires. Other directories have neither. */
export const endingsOf = ({ idAttribute }: Directory): string[] =>
  isGuid(idAttribute) ? ["userAccountControl", "accountExpires"] : [];

/** The bit ADS_UF_ACCOUNTDISABLE of `userAccountControl`. Source: [MS-ADTS], 2.2.16 */
const disabledBit = 2;
/** Ticks of `accountExpires`, 100 ns each, from the year 1601 on. Source: [MS-ADA1], 2.1 */
const ticksPerSec = 10_000_000n;
const secsTo1970 = 11_644_473_600n;

/** Whether an account is disabled in Active Directory, or has expired there. @param now UNIX seconds */
export function isEnded(directory: Directory, entry: Entry, now: number): boolean {
  if (!isGuid(directory.idAttribute)) return false;
  const control = Number(textOf(entry, "userAccountControl"));
  const expires = textOf(entry, "accountExpires");
  // 0 and the largest number mean never.
  const isAtTime =
    /^[1-9]\d{0,18}$/.test(expires) && BigInt(expires) / ticksPerSec - secsTo1970 <= BigInt(Math.floor(now));
  return (control & disabledBit) !== 0 || isAtTime;
}

export const usesGroups = ({ groups, roles }: Directory): boolean =>
  roles !== undefined || Object.keys(groups).length > 0;

export const valuesOf = (entry: Entry, attribute: string): readonly Buffer[] =>
  entry.values.get(attribute.toLowerCase()) ?? [];
const textOf = (entry: Entry, attribute: string): string =>
  valuesOf(entry, attribute)[0]?.toString("utf8").slice(0, maxValue) ?? "";

/** How a directory names somebody for ever. Undefined: it does not. */
export function subjectOf({ idAttribute }: Directory, entry: Entry): string | undefined {
  const [value] = valuesOf(entry, idAttribute);
  if (!value) return undefined;
  if (isGuid(idAttribute)) return value.length === 16 ? guidText(value) : undefined;
  const text = value.toString("utf8");
  return text.length > 0 && text.length <= 255 && !/[\p{Cc}\p{Cs}\uFFFD]/u.test(text) ? text : undefined;
}

/** The value by which the entry of somebody is looked for. */
export const valueOfSubject = ({ idAttribute }: Directory, subject: string): string | Buffer =>
  isGuid(idAttribute) ? guidBytes(subject) : subject;

const isGuid = (attribute: string): boolean => attribute.toLowerCase() === "objectguid";

/** The order of a GUID's bytes as Active Directory stores them: its first three parts are little-endian. [MS-DTYP] */
const guidOrder = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];

function guidText(bytes: Buffer): string {
  const hex = Buffer.from(guidOrder.map((at) => bytes[at] ?? 0)).toString("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function guidBytes(text: string): Buffer {
  const plain = Buffer.from(text.replaceAll("-", ""), "hex");
  return Buffer.from(guidOrder.map((at) => plain[at] ?? 0));
}

/** The groups of an entry, by DN and by name, as they are compared. */
export function groupsIn(dns: readonly string[]): ReadonlySet<string> {
  const groups = new Set<string>();
  for (const dn of dns.slice(0, maxGroups)) {
    const plain = plainDn(dn);
    groups.add(plain);
    const name = /^[^=]+=((?:\\.|[^,+\\])*)/s.exec(plain)?.[1];
    if (name) groups.add(name.replace(/\\([,+"\\<>;=# ])/g, "$1"));
  }
  return groups;
}

/** Without case, without the spaces around its signs, and with one way of escaping them. */
const plainDn = (dn: string): string =>
  dn
    .trim()
    .replace(/(?:\\[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll("\\", ""), "hex")
        .toString("utf8")
        .replace(/[,+"\\<>;=#]/g, "\\$&"),
    )
    .replace(/\\ /g, " ")
    .replace(/\\.|\s*[,=+]\s*/gs, (sign) => (sign.startsWith("\\") ? sign : sign.trim()))
    .toLowerCase();

/** Undefined: the directory does not say who they are. @param groups whose member they are, as `groupsIn` has them */
export function personOf(directory: Directory, entry: Entry, groups: ReadonlySet<string>): DirectoryPerson | undefined {
  const subject = subjectOf(directory, entry);
  if (subject === undefined) return undefined;
  const fullName = nameFrom(textOf(entry, directory.nameAttribute));
  const email = addressIn(textOf(entry, directory.emailAttribute));
  const isIn = (name: string) => groups.has(plainDn(name));
  const fields = Object.entries(directory.profileFields).map(([name, attribute]) => [name, textOf(entry, attribute)]);
  return {
    dn: entry.dn,
    // Whoever runs the server has named the directory, which answers for its addresses.
    person: {
      issuer: issuerOf(directory),
      subject,
      email,
      isEmailConfirmed: email !== null,
      fullName,
      providerSession: null,
    },
    described: {
      fullName,
      fields: Object.fromEntries(fields),
      role: directory.roles && (directory.roles.find((one) => one.groups.some(isIn))?.role ?? roles.member),
      groups: Object.entries(directory.groups).map(([there, name]) => ({ name, isMember: isIn(there) })),
    },
    avatar: directory.avatarAttribute === undefined ? undefined : valuesOf(entry, directory.avatarAttribute)[0],
  };
}
