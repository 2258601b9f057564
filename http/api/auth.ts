/** Who is calling: HTTP Basic with an API key, or a log-in cookie with its token against forged requests. */
import { createHash, randomBytes } from "node:crypto";
import { incomingWebhookBot } from "../../actors/bots/record.ts";
import { errors } from "../../actors/errors.ts";
import type { Credential, FurtherKey, Session } from "../../actors/event-queue/queue.ts";
import { apiEmail } from "../../actors/realm/access.ts";
import type { ServedRealm } from "../../actors/realm/served.ts";
import { findKeyHolder } from "../../actors/users/changes/api-keys.ts";
import { findFurtherKey } from "../../actors/users/changes/further-keys.ts";
import {
  addSession,
  type Browser,
  type CameBy,
  findSession,
  noteSeen,
  replaceToken,
} from "../../actors/users/changes/sessions.ts";
import { idleRuleOf, mayComeFrom, sessionSecsOf } from "../../actors/users/log-ins/policy.ts";
import type { IdentityId, LogPosition, RealmId, UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { SessionRow } from "../../storage/users/sessions.ts";
import type { Exchange } from "../server/exchange.ts";
import type { Attempts } from "./attempts.ts";
import { loginCookies, loginTokens, noLoginCookies, tokenFor } from "./cookies.ts";

const maxCredentials = 200_000;
/** Remembered spellings of one account's header. Each client uses one or two. */
const maxSpellings = 4;
/** An address has 254 characters, a key 32, and base64 makes a third more of both. */
const maxSpellingLength = 500;
const keyPattern = /^[0-9A-Za-z]{32}$/;

/** Looks a key up once. Whether its account may act is checked in the realm each time. */
export class Authenticator {
  readonly #known = new Map<string, Credential>();
  /** The spellings in `#known` of each account, the oldest first. */
  readonly #spellings = new Map<UserId, string[]>();

  constructor(
    private readonly attempts: Attempts,
    private readonly trustedProxies: number,
  ) {}

  /**
   * @throws INVALID_API_KEY for anything but the key and address of an account of this realm. USER_DEACTIVATED for one
   * that is not active. UNAUTHORIZED without both. RATE_LIMIT_HIT after many refusals.
   */
  byApiKey(realm: ServedRealm, exchange: Exchange): Promise<KeyHolder> {
    const { authorization } = exchange;
    const known = this.#known.get(authorization);
    if (known?.realmId === realm.id) {
      if (holds(known, realm)) return Promise.resolve(holderOf(known, realm));
      this.#forget(known);
    }
    const basic = decodeBasic(authorization);
    const account = basic?.[0].trim() ?? "";
    return this.attempts.byKey({ exchange, realmId: realm.id, account }, async () => {
      if (!basic) throw errors.UNAUTHORIZED("This endpoint requires HTTP basic authentication.");
      const { user, key } = await this.#holderOf(realm, basic[1], exchange);
      const address = account.toLowerCase();
      if (address !== user.delivery_email.toLowerCase() && address !== apiEmail(realm.state, user).toLowerCase())
        throw errors.INVALID_API_KEY();
      if (!user.is_active) throw errors.USER_DEACTIVATED();
      this.#remember({
        authorization,
        realmId: realm.id,
        userId: user.id,
        version: user.api_key_version,
        onlySends: user.bot_type === incomingWebhookBot,
        key,
      });
      return { user, key };
    });
  }

  /** The account that has the key as its own or as a further one, active or not. @throws INVALID_API_KEY */
  async #holderOf(realm: ServedRealm, apiKey: string, exchange: Exchange): Promise<KeyHolder> {
    if (!keyPattern.test(apiKey)) throw errors.INVALID_API_KEY();
    const own = await lookUp(realm, () => findKeyHolder(realm, apiKey));
    if (own) return { user: own.user, key: undefined };
    const browser = this.#browserOf(exchange);
    const checkedAt = realm.position;
    const further = await lookUp(realm, () => findFurtherKey(realm, apiKey));
    if (!further) throw errors.INVALID_API_KEY();
    const { user, found } = further;
    noteSeen(realm, found, browser)?.catch(() => {});
    const { id, token_hash: tokenHash, scope, expires_at: expiresAt } = found;
    return { user, key: { id, userId: user.id, tokenHash, checkedAt, scope, expiresAt } };
  }

  /** The account of a key that comes as a bearer token: its own, or a further one. @throws as `byApiKey` does */
  byBearer(realm: ServedRealm, exchange: Exchange): Promise<KeyHolder> {
    return this.attempts.byKey({ exchange, realmId: realm.id, account: "" }, async () => {
      const token = /^bearer +(\S+)\s*$/i.exec(exchange.authorization)?.[1];
      if (token === undefined) throw errors.UNAUTHORIZED("This endpoint takes an API key as a bearer token.");
      const holder = await this.#holderOf(realm, token, exchange);
      if (!holder.user.is_active) throw errors.USER_DEACTIVATED();
      return holder;
    });
  }

  /** The account of a key that comes without an address. @throws as `byApiKey` does */
  byBareKey(realm: ServedRealm, exchange: Exchange, apiKey: string): Promise<UserRow> {
    return this.attempts.byKey({ exchange, realmId: realm.id, account: "" }, async () => {
      const user = await ownerOf(realm, apiKey);
      if (!user.is_active) throw errors.USER_DEACTIVATED();
      this.checkNetwork(realm, user, exchange);
      return user;
    });
  }

  /** Spellings kept. */
  get size(): number {
    return this.#known.size;
  }

  #remember(credential: Credential): void {
    if (credential.authorization.length > maxSpellingLength) return;
    if (this.#known.size >= maxCredentials) {
      this.#known.clear();
      this.#spellings.clear();
    }
    const spellings = this.#spellings.get(credential.userId) ?? [];
    const dropped = spellings.length >= maxSpellings ? spellings.shift() : undefined;
    if (dropped !== undefined) this.#known.delete(dropped);
    // Requests that came at the same time have looked it up too.
    if (!this.#known.has(credential.authorization)) spellings.push(credential.authorization);
    this.#known.set(credential.authorization, credential);
    this.#spellings.set(credential.userId, spellings);
  }

  #forget({ authorization, userId }: Credential): void {
    this.#known.delete(authorization);
    const rest = this.#spellings.get(userId)?.filter((spelling) => spelling !== authorization) ?? [];
    if (rest.length > 0) this.#spellings.set(userId, rest);
    else this.#spellings.delete(userId);
  }

  /** The credential of a header that was looked up before. Check it with `holds` each time. */
  known(authorization: string): Credential | undefined {
    return this.#known.get(authorization);
  }

  /**
   * The account of a browser's session, if it has one, and the session. It has none in networks from which its person
   * may not come.
   *
   * @param isUse whether the request shows that its person is there
   * @throws UNAUTHORIZED when a change comes without its token
   */
  async byCookie(
    realm: ServedRealm,
    exchange: Exchange,
    isUse: boolean,
  ): Promise<{ user: UserRow; session: LogIn } | undefined> {
    const { session: token, csrf } = loginTokens(exchange.cookie);
    if (!token) return undefined;
    const checkedAt = realm.position;
    const proved = await lookUp(realm, () => findSession(realm, hashToken(token)));
    if (!proved?.user.is_active || !this.mayCome(realm, proved.user, exchange)) return undefined;
    const { user, found } = proved;
    const changes = exchange.method !== "GET" && exchange.method !== "HEAD";
    if (
      changes &&
      (exchange.csrfToken === "" || exchange.csrfToken !== found.csrf_token || exchange.csrfToken !== csrf)
    ) {
      throw errors.UNAUTHORIZED("CSRF token is missing or wrong");
    }
    const session = logInOf(found, checkedAt);
    if (isUse || idleRuleOf(realm.state).endsAfterSecs === undefined) this.noteUse(realm, session, exchange);
    return { user, session };
  }

  /** Notes that somebody uses a log-in. Nobody waits for it, and the next request tries again. */
  noteUse(realm: ServedRealm, { tokenHash, lastSeen }: LogIn, exchange: Exchange): void {
    const row = { token_hash: tokenHash, last_seen: lastSeen };
    noteSeen(realm, row, this.#browserOf(exchange))?.catch(() => {});
  }

  /** Whether somebody may come from where a request comes from. */
  mayCome(realm: ServedRealm, user: UserRow, exchange: Exchange): boolean {
    return mayComeFrom(realm.state, user, () => exchange.remoteAddress(this.trustedProxies));
  }

  /** @throws NETWORK_NOT_ALLOWED */
  checkNetwork(realm: ServedRealm, user: UserRow, exchange: Exchange): void {
    if (!this.mayCome(realm, user, exchange)) throw errors.NETWORK_NOT_ALLOWED();
  }

  /** Logs a browser in. The answer sets its cookies. */
  async startSession(realm: ServedRealm, userId: UserId, exchange: Exchange, cameBy?: CameBy): Promise<void> {
    const { row, setCookies } = newTokens(realm);
    await addSession(realm, { ...row, user_id: userId }, this.#browserOf(exchange), cameBy);
    setCookies(exchange);
  }

  /** Gives a browser another token for its log-in. The answer sets its cookies. */
  async renewSession(realm: ServedRealm, session: Session, exchange: Exchange): Promise<void> {
    const { row, setCookies } = newTokens(realm);
    await replaceToken(realm, session.tokenHash, row);
    setCookies(exchange);
  }

  /** Has the answer remove the cookies of a log-in that has ended. */
  removeCookies(realm: ServedRealm, exchange: Exchange): void {
    exchange.headers.push(...noLoginCookies(realm.state.url));
  }

  #browserOf(exchange: Exchange): Browser {
    return { userAgent: exchange.userAgent, ipAddress: exchange.remoteAddress(this.trustedProxies) };
  }
}

/** The log-in by which a request came. */
export interface LogIn extends Session {
  /** When its person last showed who they are. UNIX seconds */
  readonly confirmedAt: number;
  /** The identity at a provider by which its person came. */
  readonly identityId: IdentityId | null;
  /** When it was noted as used. */
  readonly lastSeen: number;
}

const logInOf = (row: SessionRow, checkedAt: LogPosition): LogIn => ({
  id: row.id,
  userId: row.user_id,
  tokenHash: row.token_hash,
  checkedAt,
  confirmedAt: row.confirmed_at,
  lastSeen: row.last_seen,
  identityId: row.identity_id,
});

/** A new token and what is stored of it, and a function that has an answer set its cookies. */
function newTokens(realm: ServedRealm) {
  const { url } = realm.state;
  const sessionSecs = sessionSecsOf(realm.state);
  const session = tokenFor(url, randomBytes(24).toString("base64url"));
  const csrf = randomBytes(24).toString("base64url");
  const row = {
    token_hash: hashToken(session),
    csrf_token: csrf,
    expires_at: realm.environment.clock() + sessionSecs,
  };
  const setCookies = ({ headers }: Exchange): void => {
    headers.push(...loginCookies(url, { session, csrf }, sessionSecs));
  };
  return { row, setCookies };
}

/** An account, and the further key by which a request came. Undefined: it came by the account's own. */
export interface KeyHolder {
  user: UserRow;
  key: FurtherKey | undefined;
}

/** The account of a credential that `holds`. Its key is as it is now, since each change is seen by the version. */
export function holderOf({ userId, key }: Credential, realm: ServedRealm): KeyHolder {
  return { user: realm.state.knownUser(userId), key: key && { ...key, checkedAt: realm.position } };
}

/** Whether the account may still act in this realm, by this key. */
export function holds(known: Credential, realm: ServedRealm): boolean {
  const user = known.realmId === realm.id ? realm.state.users.get(known.userId) : undefined;
  if (user?.is_active !== true || user.api_key_version !== known.version) return false;
  return known.key === undefined || known.key.expiresAt > realm.environment.clock();
}

/** Look-ups of one key whose account changes each time. So many never happen. */
const maxLookups = 3;

/**
 * The account of a key or token, as of one moment. A key that was changed while it was looked up is looked up again. So
 * an old key is never taken for the new one. Changes by another node are read first.
 */
async function lookUp<T extends { realm_id: RealmId; user_id: UserId; api_key_version: number }>(
  realm: ServedRealm,
  find: () => Promise<T | undefined>,
): Promise<{ found: T; user: UserRow } | undefined> {
  for (let lookups = 0; lookups < maxLookups; lookups++) {
    const found = await find();
    if (found?.realm_id !== realm.id) return undefined;
    const account = () => realm.state.users.get(found.user_id);
    if ((account()?.api_key_version ?? -1) < found.api_key_version) await realm.refresh();
    const user = account();
    if (!user) return undefined;
    if (user.api_key_version === found.api_key_version) return { found, user };
  }
  return undefined;
}

const hashToken = (token: string): Buffer => createHash("sha256").update(token).digest();

/** The hash of the API key that a header has, as it is stored. */
export function keyHashIn(authorization: string): Buffer | undefined {
  const apiKey = decodeBasic(authorization)?.[1];
  return apiKey === undefined ? undefined : hashToken(apiKey);
}

/** Undefined: the header has no credentials of this kind. */
function decodeBasic(authorization: string): [email: string, apiKey: string] | undefined {
  const [, encoded = ""] = /^basic\s+([A-Za-z0-9+/=_-]+)\s*$/i.exec(authorization) ?? [];
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.lastIndexOf(":");
  return colon >= 0 ? [text.slice(0, colon), text.slice(colon + 1)] : undefined;
}

/** The account of this realm that has the key, active or not. @throws INVALID_API_KEY */
async function ownerOf(realm: ServedRealm, apiKey: string): Promise<UserRow> {
  if (!keyPattern.test(apiKey)) throw errors.INVALID_API_KEY();
  const proved = await lookUp(realm, () => findKeyHolder(realm, apiKey));
  if (!proved) throw errors.INVALID_API_KEY();
  return proved.user;
}
