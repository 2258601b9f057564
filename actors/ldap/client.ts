/**
 * Asks directories about people, by LDAP: whether a password is theirs, who they are, and who there is.
 *
 *     searched: bind as the server ─► search the name ─► bind as what was found
 *     template: bind as the name in the template ─► read the entry
 *
 * A name that nobody has takes a bind as well, so that the time tells strangers nothing.
 */
import { randomBytes } from "node:crypto";
import { messageOf } from "../../storage/failures.ts";
import { ApiError, errors } from "../errors.ts";
import { type Directory, issuerOf } from "../identities/directories.ts";
import type { RealmReader } from "../realm/reader.ts";
import { type Bounds, type Entry, type Search, type Session, Unreached, withDirectory } from "./connection.ts";
import {
  attributesOf,
  type DirectoryPerson,
  endingsOf,
  groupsIn,
  isEnded,
  personOf,
  subjectOf,
  usesGroups,
  valueOfSubject,
  valuesOf,
} from "./entry.ts";

/** Of a log-in. A picture has up to 5 MiB. */
const logInBounds: Bounds = { timeoutMs: 8_000, connectMs: 3_000, maxBytes: 6 * 1024 * 1024 };
/** Of reading whom a directory has: 300,000 people at 200 bytes. */
const listBounds: Bounds = { timeoutMs: 120_000, connectMs: 10_000, maxBytes: 64 * 1024 * 1024 };
const pageSize = 500;
/** Log-ins that ask one directory at a time. Beyond that people are told so at once. */
const maxUnderWay = 50;
/** Groups of one person. */
const maxGroups = 1000;
/** Characters of a name. An address has no more. */
const maxUsername = 254;

/** The directories' client of a node. */
export class LdapClient {
  readonly #underWay = new Map<Directory, number>();

  constructor(private readonly bounds = logInBounds) {}

  /**
   * Who logs in with this name and password. Undefined: nobody.
   *
   * @throws SERVICE_UNAVAILABLE, AUTHENTICATION_FAILED where the directory does not say who they are
   */
  async logIn(realm: RealmReader, directory: Directory, username: string, password: string) {
    if (password === "" || !isUsername(username)) return undefined;
    return this.#asking(realm, directory, async (session) => {
      const entry = await (directory.bindTemplate === undefined
        ? bySearch(session, directory, username, password)
        : byTemplate(session, directory, directory.bindTemplate, username, password));
      if (!entry) return undefined;
      if (entry === "several") {
        realm.environment.log.warn({ realm: realm.id, directory: directory.name }, "several entries have one name");
        return undefined;
      }
      // Active Directory itself refuses these. What stands in for it may not.
      if (isEnded(directory, entry, realm.environment.clock())) return undefined;
      if (directory.bindTemplate === undefined && usesGroups(directory) && directory.groupSearch)
        await session.bindService(directory.service!);
      return described(session, directory, entry);
    });
  }

  /** Whether a password is that of somebody whom the directory has named. @throws SERVICE_UNAVAILABLE */
  async confirm(realm: RealmReader, directory: Directory, subject: string, password: string): Promise<boolean> {
    const { service } = directory;
    if (!service || password === "") return false;
    return this.#asking(realm, directory, async (session) => {
      await session.bindService(service);
      const value = valueOfSubject(directory, subject);
      const wanted = ["1.1", ...endingsOf(directory)];
      const [entry] = await session.search(searchFor(directory, [[directory.idAttribute, value]], wanted), 2);
      const isThere = entry !== undefined && !isEnded(directory, entry, realm.environment.clock());
      return session.isPassword(isThere ? entry.dn : nobodyIn(directory), password);
    });
  }

  /** @throws ApiError in place of whatever goes wrong with a directory */
  async #asking<T>(realm: RealmReader, directory: Directory, work: (session: Session) => Promise<T>): Promise<T> {
    const underWay = this.#underWay.get(directory) ?? 0;
    if (underWay >= maxUnderWay) throw unavailable(directory, "too many people log in by it at the same time");
    this.#underWay.set(directory, underWay + 1);
    try {
      return await withDirectory(directory, this.bounds, work);
    } catch (error) {
      throw error instanceof ApiError ? error : told(realm, directory, error);
    } finally {
      this.#underWay.set(directory, (this.#underWay.get(directory) ?? 1) - 1);
    }
  }
}

/** What an operator is shown of somebody. Undefined: the directory has nobody of this name. @throws Error */
export async function findInDirectory(directory: Directory, username: string): Promise<DirectoryPerson | undefined> {
  const { service } = directory;
  if (!service) throw new Error("This needs bind_dn: only with it the server searches by itself.");
  if (!isUsername(username)) return undefined;
  const found = await withDirectory(directory, logInBounds, async (session) => {
    await session.bindService(service);
    const names = [...new Set([...directory.usernameAttributes, directory.emailAttribute])];
    const [entry, another] = await session.search(searchByName(directory, names, username), 2);
    if (entry && another) return [entry.dn, another.dn] as const;
    if (entry && isEnded(directory, entry, Date.now() / 1000)) return { ended: entry.dn };
    return entry && described(session, directory, entry);
  });
  if (found && "ended" in found) throw new Error(`${found.ended} is disabled in the directory, or has expired there.`);
  if (found && !("dn" in found)) throw new Error(`Several entries have the name ${username}: ${found.join("; ")}`);
  return found;
}

/**
 * How the directory names everybody whom it has. Who is disabled in Active Directory, or has expired, is none of them.
 *
 * @param now UNIX seconds
 * @throws where it does not tell all of them
 */
export function everybodyIn(directory: Directory, now: number): Promise<Set<string>> {
  const { service, base, filter, idAttribute } = directory;
  if (!service) throw new Error("This needs bind_dn: only with it the server searches by itself.");
  return withDirectory(directory, listBounds, async (session) => {
    await session.bindService(service);
    const subjects = new Set<string>();
    const search: Search = { base, scope: "sub", filter, attributes: [idAttribute, ...endingsOf(directory)] };
    for await (const page of session.pages(search, pageSize))
      for (const entry of page) {
        const subject = subjectOf(directory, entry);
        if (subject === undefined) throw new Unreached(`it tells no ${idAttribute} of ${entry.dn}`);
        if (!isEnded(directory, entry, now)) subjects.add(subject);
      }
    return subjects;
  });
}

async function bySearch(session: Session, directory: Directory, username: string, password: string) {
  await session.bindService(directory.service!);
  const found = await session.search(searchByName(directory, directory.usernameAttributes, username), 2);
  const [entry] = found;
  const isRight = await session.isPassword(entry && found.length === 1 ? entry.dn : nobodyIn(directory), password);
  if (found.length > 1) return "several";
  return isRight ? entry : undefined;
}

async function byTemplate(
  session: Session,
  directory: Directory,
  template: string,
  username: string,
  password: string,
) {
  const dn = template.replace("{username}", () => escapedForDn(username));
  if (!(await session.isPassword(dn, password))) return undefined;
  const search: Search = { base: dn, scope: "base", filter: directory.filter, attributes: attributesOf(directory) };
  return (await session.search(search, 1))[0];
}

const searchByName = (directory: Directory, names: readonly string[], username: string): Search =>
  searchFor(
    directory,
    names.map((name) => [name, username] as const),
    attributesOf(directory),
  );

function searchFor(
  { base, filter }: Directory,
  anyOf: NonNullable<Search["anyOf"]>,
  attributes: readonly string[],
): Search {
  return { base, scope: "sub", filter, anyOf, attributes };
}

async function described(session: Session, directory: Directory, entry: Entry): Promise<DirectoryPerson> {
  const found = personOf(directory, entry, groupsIn(await groupDns(session, directory, entry)));
  if (!found) throw errors.AUTHENTICATION_FAILED(`${directory.displayName} did not say who you are.`);
  return found;
}

async function groupDns(session: Session, directory: Directory, entry: Entry): Promise<string[]> {
  if (!usesGroups(directory)) return [];
  const { groupSearch } = directory;
  if (!groupSearch) return valuesOf(entry, "memberOf").map(String);
  const { base, filter, memberAttribute } = groupSearch;
  // Groups of POSIX name people by their accounts, others by their DNs.
  const member = memberAttribute.toLowerCase() === "memberuid" ? valuesOf(entry, "uid")[0] : entry.dn;
  if (member === undefined) return [];
  const search: Search = { base, scope: "sub", filter, anyOf: [[memberAttribute, member]], attributes: ["1.1"] };
  return (await session.search(search, maxGroups)).map(({ dn }) => dn);
}

/** A name that nobody has. */
const nobodyIn = ({ base }: Directory): string => `cn=${randomBytes(8).toString("hex")},${base}`;

const isUsername = (username: string): boolean =>
  username !== "" && username.length <= maxUsername && !/[\p{Cc}\p{Cs}]/u.test(username);

/** Any sign that a DN could mean something by goes as its bytes. Source: RFC 4514, 2.4. */
const escapedForDn = (value: string): string =>
  value.replace(/[^\p{L}\p{N}@._-]/gu, (sign) =>
    [...Buffer.from(sign)].map((byte) => `\\${byte.toString(16).padStart(2, "0")}`).join(""),
  );

const unavailable = ({ displayName }: Directory, reason: string) =>
  errors.SERVICE_UNAVAILABLE(`${displayName} cannot be asked at the moment: ${reason}. Log in another way, or later.`);

/** What a person is told. The log has the rest. */
function told(realm: RealmReader, directory: Directory, error: unknown): ApiError {
  const { log } = realm.environment;
  const failure = error instanceof Unreached ? error.message : "it answers with an error";
  const cause = error instanceof Unreached ? error.cause : error;
  log.warn(
    {
      realm: realm.id,
      directory: issuerOf(directory),
      failure,
      cause: cause === undefined ? undefined : messageOf(cause),
    },
    "a log-in by a directory failed",
  );
  return unavailable(directory, failure);
}
