/** A browser in which somebody logs in by a provider, on the nodes of a server. */
import { hiddenField, type Page, PlainBrowser } from "../client/plain-browser.ts";
import type { TestServer } from "../server/server.ts";
import type { OpenIdProvider } from "./open-id-provider.ts";

export interface Claims {
  sub: string;
  [claim: string]: unknown;
}

/** Claims of somebody whose address the provider knows to be theirs. */
export const claimsOf = (sub: string, email: string, name = "Nora Newcomer"): Claims => ({
  sub,
  email,
  email_verified: true,
  name,
});

export class Newcomer {
  readonly browser: PlainBrowser;

  constructor(
    private readonly server: TestServer,
    private readonly provider: OpenIdProvider,
  ) {
    this.browser = new PlainBrowser((origin) => (server.urls.includes(origin) ? "the server" : origin));
  }

  /** Goes through the provider as somebody. The node that takes them back is another one, if there is one. */
  async come(person: Claims | undefined, by = "main", query = ""): Promise<Page> {
    this.provider.person = person;
    const { browser, server } = this;
    const begun = await browser.get(`${server.url}/accounts/login/social/${by}/${query}`);
    const back = await browser.follow(begun, (url) => url.includes("/complete/"));
    if (!back.location?.includes("/complete/")) return back;
    return browser.get(back.location.replace(server.url, server.urls.at(-1)!));
  }

  /** Sends a form of the page that asks whose account it is. */
  answer(page: Page, what: "link" | "mail" | "join", fields: Record<string, string> = {}): Promise<Page> {
    const arrival = hiddenField(page.text, "arrival");
    return this.browser.post(`${this.server.urls.at(-1)}/accounts/identity/${what}/`, { arrival, ...fields });
  }

  /** Who is logged in in the browser; undefined: nobody. */
  async self(): Promise<{ user_id: number; full_name: string; delivery_email: string; role: number } | undefined> {
    const { status, text } = await this.browser.get(`${this.server.url}/json/users/me`);
    return status === 200 ? JSON.parse(text) : undefined;
  }
}
