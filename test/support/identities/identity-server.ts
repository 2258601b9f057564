/** A server at which people log in by a real OpenID provider, under several rules of who joins, and get emails. */
import { afterAll, beforeAll } from "vitest";
import { type TestServer, testServer } from "../server/server.ts";
import { TestSmtp } from "../server/smtp.ts";
import { Newcomer } from "./newcomer.ts";
import { type OpenIdProvider, openIdProvider } from "./open-id-provider.ts";

interface IdentityServer {
  readonly server: TestServer;
  readonly provider: OpenIdProvider;
  readonly smtp: TestSmtp;
  /** Somebody with a browser of their own. */
  newcomer(): Newcomer;
}

/** Its providers are the same one, by the names main (everybody joins), invited, domain (example.net) and nobody. */
export function identityServer(): IdentityServer {
  const provider = openIdProvider();
  const smtp = new TestSmtp();
  beforeAll(() => smtp.start());
  const server = testServer({
    environment: () => ({
      PARLEY_SMTP_URL: smtp.url,
      PARLEY_MAIL_FROM: "Parley <chat@example.org>",
      PARLEY_OIDC: JSON.stringify({
        "*": [
          { ...provider.setting, joining: "everybody" },
          { ...provider.setting, name: "invited" },
          { ...provider.setting, name: "domain", joining: "everybody", domains: ["Example.net"] },
          { ...provider.setting, name: "nobody", joining: "nobody" },
        ],
      }),
    }),
  });
  afterAll(() => smtp.stop());
  return { server, provider, smtp, newcomer: () => new Newcomer(server, provider) };
}
