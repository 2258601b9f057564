/**
 * Directories (LDAP, Active Directory) by whose passwords people log in, as whoever runs the server has named them in
 * `PARLEY_LDAP`: JSON of an organization's host, or `*` for every other one, and its directory.
 *
 *     { "chat.example": { "url": "ldaps://ldap.example", "bind_dn": "cn=parley,dc=example",
 *                         "bind_password_file": "/run/secrets/ldap", "base": "ou=people,dc=example" } }
 */
import type { Role } from "../../storage/rows.ts";
import type { RealmState, ServerChoices } from "../realm/state/state.ts";
import { readMap, readRoles } from "./group-settings.ts";
import { findProvider } from "./organization-providers.ts";
import { type IdentitySource, isLoopback, readJoining, readName } from "./providers.ts";
import { Fields, ofHost, parseByHost } from "./setting-fields.ts";

const variable = "PARLEY_LDAP";

export interface Directory extends IdentitySource {
  /** Of servers that know the same. They are asked in this order. */
  urls: readonly string[];
  isStartTls: boolean;
  /** Certificates that are trusted in place of the system's, as PEM. */
  ca: string | undefined;
  /** The DN by which a person binds, with `{username}`. Undefined: they are searched. */
  bindTemplate: string | undefined;
  /** The account by which the server searches. */
  service: { dn: string; password: string } | undefined;
  base: string;
  filter: string;
  /** What people may type as their name. */
  usernameAttributes: readonly string[];
  /** Names a person for ever. */
  idAttribute: string;
  emailAttribute: string;
  nameAttribute: string;
  avatarAttribute: string | undefined;
  /** Attributes by the names of custom profile fields. */
  profileFields: Readonly<Record<string, string>>;
  /** How a person's groups are found; without `base` the person's own `memberOf` has them. */
  groupSearch: { base: string; filter: string; memberAttribute: string } | undefined;
  /** Groups of the directory, by DN or name, and how they are called here. */
  groups: Readonly<Record<string, string>>;
  /** Groups of the directory that give a role. Undefined: it gives none. */
  roles: readonly { role: Role; groups: readonly string[] }[] | undefined;
  /** Whether accounts end whose people are not in it any more. */
  deactivates: boolean;
}

/** By host in small letters, `*` for every other organization. */
export type Directories = ReadonlyMap<string, Directory>;

declare module "../realm/state/state.ts" {
  interface ServerChoices {
    /** By whose passwords people log in besides. */
    directories: Directories;
  }
}

/** The directory of an organization. */
export const directoryOf = ({ host, server }: RealmState): Directory | undefined => directoryAt(server, host);
export const directoryAt = ({ directories }: Partial<ServerChoices>, host: string): Directory | undefined =>
  ofHost(directories, host);

/** What names identities of a directory, whatever server it is on. */
export const issuerOf = ({ name }: Directory): string => name;

/** Whether people log in by names that are no addresses. */
export const hasPlainNames = ({ bindTemplate, usernameAttributes, emailAttribute }: Directory): boolean =>
  bindTemplate !== undefined || usernameAttributes.some((name) => name.toLowerCase() !== emailAttribute.toLowerCase());

/** The provider or directory of this name. */
export function findSource(state: RealmState, name: string): IdentitySource | undefined {
  const directory = directoryOf(state);
  return directory?.name === name ? directory : findProvider(state, name);
}

const knownKeys: ReadonlySet<string> = new Set([
  ...["name", "display_name", "url", "starttls", "ca_file", "bind_template", "bind_dn", "bind_password"],
  ...["bind_password_file", "base", "filter", "username_attributes", "id_attribute", "email_attribute"],
  ...["name_attribute", "avatar_attribute", "profile_fields", "group_base", "group_filter", "group_member_attribute"],
  ...["groups", "roles", "joining", "domains", "deactivates"],
]);

/**
 * Reads the setting, and the files that it names. Empty text is none.
 *
 * @param checkFilter throws for a filter that no directory understands
 * @throws Error that names the variable
 */
export function parseDirectories(text: string, checkFilter: (filter: string) => void): Directories {
  return parseByHost(variable, text, (given, where) =>
    readDirectory(new Fields(given, where, knownKeys), (fields, key, otherwise) => {
      const filter = fields.text(key) ?? otherwise;
      try {
        checkFilter(filter);
      } catch {
        throw fields.fail(`${key} is no filter: ${filter}`);
      }
      return filter;
    }),
  );
}

type ReadFilter = (fields: Fields, key: string, otherwise: string) => string;

function readDirectory(fields: Fields, readFilter: ReadFilter): Directory {
  const isStartTls = fields.flag("starttls");
  const bindTemplate = readTemplate(fields);
  const service = readService(fields);
  if (bindTemplate === undefined && !service) throw fields.fail("must have bind_dn or bind_template.");
  const deactivates = fields.flag("deactivates");
  if (deactivates && !service) throw fields.fail("deactivates needs bind_dn.");
  const groupBase = fields.text("group_base");
  const groupFilter = readFilter(fields, "group_filter", "(objectClass=*)");
  return {
    // No provider is called like this.
    name: `ldap:${readName(fields, fields.text("name") ?? "main")}`,
    displayName: fields.text("display_name") ?? "The directory",
    urls: readUrls(fields, isStartTls),
    isStartTls,
    ca: fields.file("ca_file"),
    bindTemplate,
    service,
    base: fields.needed("base"),
    filter: readFilter(fields, "filter", "(objectClass=person)"),
    usernameAttributes: readAttributes(fields, "username_attributes") ?? ["uid"],
    idAttribute: readAttribute(fields, "id_attribute") ?? "entryUUID",
    emailAttribute: readAttribute(fields, "email_attribute") ?? "mail",
    nameAttribute: readAttribute(fields, "name_attribute") ?? "cn",
    avatarAttribute: readAttribute(fields, "avatar_attribute"),
    profileFields: readMap(fields, "profile_fields", (name) => checkAttribute(fields, "profile_fields", name)),
    groupSearch:
      groupBase === undefined
        ? undefined
        : {
            base: groupBase,
            filter: groupFilter,
            memberAttribute: readAttribute(fields, "group_member_attribute") ?? "member",
          },
    groups: readMap(fields, "groups", (name) => name),
    roles: readRoles(fields),
    ...readJoining(fields),
    deactivates,
  };
}

function readTemplate(fields: Fields): string | undefined {
  const template = fields.text("bind_template");
  if (template !== undefined && !/^[^{}]*=\{username\}[^{}]*$/.test(template))
    throw fields.fail("bind_template must be a DN with {username} once.");
  return template;
}

function readService(fields: Fields): Directory["service"] {
  const dn = fields.text("bind_dn");
  const password = fields.secret("bind_password");
  if (dn === undefined) return undefined;
  // A bind without a password is one of nobody, and succeeds.
  if (!password) throw fields.fail("bind_password or bind_password_file is missing.");
  return { dn, password };
}

/** Over plain LDAP anybody on the way reads the passwords. */
function readUrls(fields: Fields, isStartTls: boolean): string[] {
  const texts = fields.list("url");
  for (const text of texts) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url?.protocol === "ldap:";
    if (!url || !(isPlain || url.protocol === "ldaps:") || url.hostname === "")
      throw fields.fail("url must be an address that starts with ldaps:// or ldap://.");
    if (isStartTls && !isPlain) throw fields.fail("starttls is for addresses that start with ldap://.");
    // Node takes an address of this scheme apart as it is, brackets included.
    if (isPlain && !isStartTls && !isLoopback(url.hostname))
      throw fields.fail("url must start with ldaps://, or starttls be true: passwords would go over the wire.");
  }
  return texts;
}

function checkAttribute(fields: Fields, key: string, name: string): string {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,99}(?:;[A-Za-z0-9;-]{1,50})?$|^\d+(?:\.\d+){1,30}$/.test(name))
    throw fields.fail(`${key}: ${name} is no attribute.`);
  return name;
}

function readAttribute(fields: Fields, key: string): string | undefined {
  const name = fields.text(key);
  return name === undefined ? undefined : checkAttribute(fields, key, name);
}

function readAttributes(fields: Fields, key: string): string[] | undefined {
  const names = fields.texts(key)?.map((name) => checkAttribute(fields, key, name));
  if (names?.length === 0) throw fields.fail(`${key} must name one.`);
  return names;
}
