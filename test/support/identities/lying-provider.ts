/** A provider that answers and signs whatever a test wants, and a server that people log in to by it. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, beforeEach } from "vitest";
import { type Page, PlainBrowser } from "../client/plain-browser.ts";
import { type TestServer, testServer } from "../server/server.ts";
import { type ServiceAnswer, type WebService, webService } from "../server/web-service.ts";

interface Keys {
  readonly kid: string;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
  /** What the provider tells of them. */
  readonly told: string;
}

export async function newKeys(kid: string): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: "RS256", use: "sig" };
  return { kid, privateKey, told: JSON.stringify({ keys: [jwk] }) };
}

/** UNIX seconds. */
export const now = (): number => Math.floor(Date.now() / 1000);

class LyingProvider {
  keys!: Keys;
  /** What it answers at a path in the place of what a good one would. */
  answers: Record<string, () => ServiceAnswer | undefined> = {};

  constructor(private readonly service: WebService) {}

  listen(): void {
    this.answers = {};
    const good: typeof this.answers = {
      "/.well-known/openid-configuration": () => this.json(this.described()),
      "/keys": () => this.json(this.keys.told),
    };
    this.service.answer = ({ path }) => (this.answers[path] ?? good[path])?.();
  }

  described() {
    const { url } = this.service;
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
    };
  }

  json(value: unknown): ServiceAnswer {
    return {
      headers: { "content-type": "application/json" },
      body: typeof value === "string" ? value : JSON.stringify(value),
    };
  }

  /** An ID token of somebody with a confirmed address of their own, unless the claims say otherwise. */
  token(nonce: string, claims: { sub: unknown; [claim: string]: unknown }, keys = this.keys): Promise<string> {
    const person = { email: `${claims.sub}@example.net`, email_verified: true, name: "Rita Right" };
    const of = { iss: this.service.url, aud: "parley", nonce, iat: now(), exp: now() + 300 };
    return this.sign({ ...person, ...of, ...claims }, keys);
  }

  /** Signs claims as they are, without those that are undefined. */
  sign(claims: Record<string, unknown>, { kid, privateKey } = this.keys): Promise<string> {
    const told = Object.entries(claims).filter(([, value]) => value !== undefined);
    return new SignJWT(Object.fromEntries(told)).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
  }
}

/** A log-in that has come as far as the provider, which is to send the browser back. */
interface Begun {
  readonly browser: PlainBrowser;
  /** What the provider was asked for. */
  readonly asked: URLSearchParams;
  readonly callback: string;
  readonly nonce: string;
  /** Has the provider give this ID token for the code. */
  end(idToken: string): Promise<Page>;
  /** The status of a request that needs a log-in. */
  self(): Promise<number>;
}

interface Lying {
  readonly server: TestServer;
  readonly service: WebService;
  readonly provider: LyingProvider;
  begin(name: string): Promise<Page>;
  begun(query?: string): Promise<Begun>;
  finished(claims: { sub: unknown; [claim: string]: unknown }): Promise<Begun & { page: Page }>;
}

/** Each name is a provider of its own to the server: what it knows of one it does not use of another. */
const names = ["main", "rubbish", "huge", "other", "moved", "denied", "empty", "hanging"];

/** @param more of the settings of each */
export function lyingProvider(more: object = {}): Lying {
  const service = webService();
  const provider = new LyingProvider(service);
  const setting = (name: string, issuer: string) => ({
    ...{ name, display_name: "Liar", issuer, client_id: "parley", client_secret: "secret" },
    ...{ joining: "everybody", scopes: ["email"], ...more },
  });
  const server = testServer({
    environment: () => ({
      PARLEY_OIDC: JSON.stringify({
        "*": [setting("away", "http://127.0.0.1:1"), ...names.map((name) => setting(name, service.url))],
      }),
    }),
  });
  beforeAll(async () => (provider.keys = await newKeys("one")));
  beforeEach(() => provider.listen());
  const start = (name: string, query = "") => `${server.url}/accounts/login/social/${name}/${query}`;
  const begun = async (query = ""): Promise<Begun> => {
    const browser = new PlainBrowser();
    const { location, status, text } = await browser.get(start("main", query));
    if (!location) throw new Error(`The log-in did not begin: ${status} ${text}`);
    const asked = new URL(location).searchParams;
    const back = new URLSearchParams({ code: "code", state: asked.get("state")! });
    const callback = `${asked.get("redirect_uri")}?${back}`;
    return {
      browser,
      asked,
      callback,
      nonce: asked.get("nonce")!,
      end(id_token) {
        provider.answers["/token"] = () => provider.json({ access_token: "access", token_type: "Bearer", id_token });
        return browser.get(callback);
      },
      self: async () => (await browser.get(`${server.url}/json/users/me`)).status,
    };
  };
  const finished: Lying["finished"] = async (claims) => {
    const flow = await begun();
    return { ...flow, page: await flow.end(await provider.token(flow.nonce, claims)) };
  };
  return { server, service, provider, begin: (name) => new PlainBrowser().get(start(name)), begun, finished };
}
