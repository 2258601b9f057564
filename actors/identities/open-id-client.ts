/**
 * Asks providers of identities, by OpenID Connect with the code flow, PKCE, state and nonce.
 *
 *     begin ─► the browser goes to the provider ─► /complete/NAME/?code&state&iss ─► finish: code → ID token → person
 *
 * Answers are bounded in size and time, and redirects are not followed. So many requests to a provider are under way at
 * a time. What a provider says of itself is kept for an hour, its keys for minutes.
 */
import * as openId from "openid-client";
import { codeOf, messageOf } from "../../storage/failures.ts";
import { WrongSecretKey } from "../../storage/secret-key.ts";
import { ApiError, badRequest, errors } from "../errors.ts";
import type { RealmReader } from "../realm/reader.ts";
import { type Person, personIn } from "./claims.ts";
import { tellsGroups } from "./group-claims.ts";
import { type LoggedOut, readLogoutToken, UnknownKey } from "./logout-token.ts";
import { askerOf, configured, describedBy, type Flow, grantedBy, newFlow, unreachedIn } from "./open-id-requests.ts";
import type { Provider } from "./providers.ts";

const metadataSecs = 3600;
/** A provider that could not be asked is left alone for so long. */
const restSecs = 2;
/** Keys of a provider that are younger are not asked for anew, whoever signs with others. */
const keysSecs = 60;
/** Log-ins that ask one provider at a time. */
const maxUnderWay = 200;
/** What a node knows of a provider. */
interface Known {
  metadata: Promise<openId.ServerMetadata> | undefined;
  /** Seconds of the clock that only goes forward; metadata is asked for anew then. */
  until: number;
  keys: Parameters<typeof openId.setJwksCache>[1] | undefined;
  underWay: number;
}

/** The client of a node. Providers are known by their settings: what has changed is another one. */
export class OpenIdClient {
  readonly #known = new WeakMap<Provider, Known>();

  /** Where the browser goes to, and what it keeps. @throws SERVICE_UNAVAILABLE */
  async begin(realm: RealmReader, provider: Provider, redirectUri: string): Promise<{ url: string; flow: Flow }> {
    return this.#asking(realm, provider, async (known, ask) => {
      const config = configured(realm, provider, await this.#metadataOf(realm, provider, known, ask), ask);
      const flow = newFlow(redirectUri);
      const url = openId.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: provider.scopes.join(" "),
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await openId.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, flow };
    });
  }

  /**
   * Who came back.
   *
   * @param query as the browser brought it
   * @throws SERVICE_UNAVAILABLE where the provider cannot be asked, AUTHENTICATION_FAILED where it names nobody
   */
  async finish(realm: RealmReader, provider: Provider, flow: Flow, query: string): Promise<Person> {
    return this.#asking(realm, provider, async (known, ask) => {
      const metadata = await this.#metadataOf(realm, provider, known, ask);
      // A code is good once. When keys have changed meanwhile, the same answer is checked again.
      let token: Response | undefined;
      const askOnce: openId.CustomFetch = async (url, options) => {
        if (options.method !== "POST") return ask(url, options);
        token ??= await ask(url, options);
        return token.clone();
      };
      const grant = (keys: Known["keys"]) =>
        grantedBy(configured(realm, provider, metadata, askOnce, keys), flow, query);
      let granted: Awaited<ReturnType<typeof grant>>;
      try {
        granted = await grant(known.keys);
      } catch (error) {
        if (known.keys === undefined || token?.ok !== true) throw error;
        known.keys = undefined;
        granted = await grant(undefined);
      }
      known.keys = openId.getJwksCache(granted.config);
      const { claims, config, accessToken } = granted;
      const isWhole =
        claims[provider.nameClaim] !== undefined &&
        claims[provider.emailClaim] !== undefined &&
        tellsGroups(provider, claims);
      if (isWhole || metadata.userinfo_endpoint === undefined) return personIn(provider, claims);
      return personIn(provider, claims, await openId.fetchUserInfo(config, accessToken, claims.sub));
    });
  }

  /** Where somebody logs out at a provider. Undefined: it has no such page. @throws SERVICE_UNAVAILABLE */
  async logoutUrl(realm: RealmReader, provider: Provider, backTo: string): Promise<string | undefined> {
    return this.#asking(realm, provider, async (known, ask) => {
      const metadata = await this.#metadataOf(realm, provider, known, ask);
      if (metadata.end_session_endpoint === undefined) return undefined;
      return openId.buildEndSessionUrl(configured(realm, provider, metadata, ask), { post_logout_redirect_uri: backTo })
        .href;
    });
  }

  /** Who has logged out at a provider. @throws BAD_REQUEST for a token of nobody's, SERVICE_UNAVAILABLE */
  async loggedOut(realm: RealmReader, provider: Provider, token: string): Promise<LoggedOut> {
    return this.#asking(realm, provider, async (known, ask) => {
      const now = realm.environment.clock();
      const read = async () =>
        readLogoutToken(provider, token, (await this.#keysOf(realm, provider, known, ask)).jwks, now);
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof UnknownKey)) throw error;
        const isFresh = known.keys !== undefined && now - known.keys.uat < keysSecs;
        if (isFresh) throw badRequest("Bad logout token.");
        known.keys = undefined;
        return await read().catch((again: unknown) => {
          throw again instanceof UnknownKey ? badRequest("Bad logout token.") : again;
        });
      }
    });
  }

  async #keysOf(realm: RealmReader, provider: Provider, known: Known, ask: openId.CustomFetch) {
    if (known.keys) return known.keys;
    const { jwks_uri: url } = await this.#metadataOf(realm, provider, known, ask);
    if (url === undefined) throw new Error("no keys");
    const response = await ask(url, { method: "GET", headers: {}, body: undefined, redirect: "manual" });
    const jwks = (await response.json()) as openId.JWKS;
    if (!response.ok || !Array.isArray(jwks.keys)) throw new Error("no keys");
    known.keys = { jwks, uat: realm.environment.clock() };
    return known.keys;
  }

  /** @throws ApiError in place of whatever goes wrong with a provider */
  async #asking<T>(
    realm: RealmReader,
    provider: Provider,
    work: (known: Known, ask: openId.CustomFetch) => Promise<T>,
  ): Promise<T> {
    const ask = askerOf(realm, provider);
    let known = this.#known.get(provider);
    if (!known) this.#known.set(provider, (known = { metadata: undefined, until: 0, keys: undefined, underWay: 0 }));
    if (known.underWay >= maxUnderWay) throw unavailable(provider, "too many people log in by it at the same time");
    known.underWay++;
    try {
      return await work(known, ask);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw told(realm, provider, error);
    } finally {
      known.underWay--;
    }
  }

  /** What a provider says of itself. Whoever comes meanwhile waits for the same answer. */
  #metadataOf(
    realm: RealmReader,
    provider: Provider,
    known: Known,
    ask: openId.CustomFetch,
  ): Promise<openId.ServerMetadata> {
    const now = realm.environment.steady();
    if (known.metadata && now < known.until) return known.metadata;
    const asked = describedBy(provider, ask);
    known.metadata = asked;
    known.until = now + metadataSecs;
    asked.catch(() => (known.until = realm.environment.steady() + restSecs));
    return asked;
  }
}

const unavailable = ({ displayName }: Provider, reason: string) =>
  errors.SERVICE_UNAVAILABLE(`${displayName} cannot be asked at the moment: ${reason}. Log in another way, or later.`);

/** What a person is told. The log has the rest, without the answers, which may hold tokens. */
function told(realm: RealmReader, provider: Provider, error: unknown): ApiError {
  const { log } = realm.environment;
  const failure = unreachedIn(error)?.message;
  if (error instanceof WrongSecretKey) {
    log.error({ realm: realm.id, provider: provider.name, err: error }, "the secret of a provider cannot be read");
    return unavailable(provider, "this server cannot read its secret any more, which an owner has to set again");
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined;
  log.warn(
    { realm: realm.id, provider: provider.name, failure, code: codeOf(error), reason: messageOf(error), cause },
    "a log-in by a provider failed",
  );
  if (failure !== undefined) return unavailable(provider, failure);
  const { displayName } = provider;
  if (error instanceof openId.AuthorizationResponseError || error instanceof openId.ResponseBodyError) {
    const reason = /^[a-z_]{1,60}$/.test(error.error) ? error.error : "another reason";
    return errors.AUTHENTICATION_FAILED(`${displayName} did not log you in: ${reason}.`);
  }
  return errors.AUTHENTICATION_FAILED(
    `What ${displayName} answered is not valid, so you are not logged in. Try again, or tell whoever runs this server.`,
  );
}
