/** A browser without scripts: it keeps cookies by origin, sends forms, and follows redirects as far as told. */

export interface Page {
  /** Where it ended. */
  url: string;
  status: number;
  text: string;
  /** A redirect that was not followed. */
  location: string | null;
}

export class PlainBrowser {
  /** By site. */
  readonly #cookies = new Map<string, Map<string, string>>();

  /** @param siteOf whose cookies an origin shares; nodes are one site */
  constructor(private readonly siteOf: (origin: string) => string = (origin) => origin) {}

  cookies(url: string): Map<string, string> {
    const site = this.siteOf(new URL(url).origin);
    const jar = this.#cookies.get(site) ?? new Map<string, string>();
    this.#cookies.set(site, jar);
    return jar;
  }

  get(url: string): Promise<Page> {
    return this.#request(url, { method: "GET" });
  }

  post(url: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
    const { origin } = new URL(url);
    return this.#request(url, {
      method: "POST",
      body: new URLSearchParams(form),
      headers: { Origin: origin, ...headers },
    });
  }

  /** Follows redirects until a page, another scheme, or an address that is told to be the end. */
  async follow(page: Page, isEnd: (url: string) => boolean = () => false): Promise<Page> {
    let at = page;
    for (let hops = 0; at.location !== null && /^http:/.test(at.location) && !isEnd(at.location); hops++) {
      if (hops > 20) throw new Error(`redirects without an end: ${at.location}`);
      at = await this.get(at.location);
    }
    return at;
  }

  /** Opens an address and goes where it leads. */
  async open(url: string): Promise<Page> {
    return this.follow(await this.get(url));
  }

  async #request(to: string, init: RequestInit): Promise<Page> {
    const url = new URL(to);
    const jar = this.cookies(to);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === "" || /Max-Age=0\b/i.test(line)) jar.delete(name!);
      else jar.set(name!, value!);
    }
    const location = response.headers.get("location");
    return {
      url: url.href,
      status: response.status,
      text: await response.text(),
      location: location === null ? null : new URL(location, url).href,
    };
  }
}

/** The value of a hidden field, with its character references read. */
export function hiddenField(html: string, name: string): string {
  const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1];
  if (value === undefined) throw new Error(`no field ${name} in: ${html.slice(0, 2000)}`);
  return value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
