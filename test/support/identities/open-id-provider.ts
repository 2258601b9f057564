/** A real OpenID provider on this machine, at which whoever comes is the person that a test has named. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";
import { afterAll, beforeAll } from "vitest";

interface ProviderPerson {
  sub: string;
  [claim: string]: unknown;
}

export class OpenIdProvider {
  readonly clientId = "parley";
  readonly clientSecret = "a secret that only the provider and the server know";
  /** Who logs in next. Undefined: whoever comes presses "cancel". */
  person: ProviderPerson | undefined;
  /** Requests by their path. */
  readonly asked: string[] = [];
  readonly #people = new Map<string, ProviderPerson>();
  #provider: Provider | undefined;
  readonly #server = createServer((request, response) => {
    const path = request.url!.split("?")[0]!;
    this.asked.push(path);
    const provider = this.#provider!;
    if (!path.startsWith("/interaction/")) {
      provider.callback()(request, response);
      return;
    }
    const result = this.person
      ? { login: { accountId: this.person.sub, remember: false } }
      : { error: "access_denied", error_description: "<b>End-User aborted interaction</b>" };
    if (this.person) this.#people.set(this.person.sub, this.person);
    void provider.interactionFinished(request, response, result);
  });

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As the setting names it. */
  get setting(): Record<string, unknown> {
    const { issuer, clientId, clientSecret } = this;
    return { name: "main", display_name: "Main & Co", issuer, client_id: clientId, client_secret: clientSecret };
  }

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    await this.restart();
  }

  /** Begins with new keys, and without what it knew. */
  async restart(): Promise<void> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const kid = `key-${this.asked.length}`;
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: this.clientSecret,
          redirect_uris: ["http://127.0.0.1/complete/main/"],
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, alg: "RS256", use: "sig" }] },
      cookies: { keys: ["a key of cookies"] },
      claims: {
        openid: ["sub"],
        email: ["email", "email_verified"],
        profile: ["name", "groups", "realm_access"],
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => this.#people.get(accountId) }),
      loadExistingGrant: async ({
        oidc,
      }: {
        oidc: { client: { clientId: string }; session: { accountId: string } };
      }) => {
        const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope("openid profile email");
        await grant.save();
        return grant;
      },
    });
    // The server's port is not known when the provider begins.
    provider.Client.prototype.redirectUriAllowed = (uri) =>
      /^http:\/\/(?:127\.0\.0\.1|localhost):\d+\/complete\/[a-z]+\/$/.test(uri);
    provider.Client.prototype.postLogoutRedirectUriAllowed = (uri) => /^http:\/\/127\.0\.0\.1:\d+\/login\/$/.test(uri);
    this.#provider = provider;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(() => done()));
  }
}

/** One for the tests of a file. */
export function openIdProvider(): OpenIdProvider {
  const provider = new OpenIdProvider();
  beforeAll(() => provider.start());
  afterAll(() => provider.stop());
  return provider;
}
