/** Browsers that log in, as little of them as it takes: cookies, forms, and where they are sent. */

/** What a browser has been given by the server. */
export class Browser {
  #cookies = new Map<string, string>();

  constructor(private readonly base: string) {}

  /** Logs in by the provider `bench`, whose person says yes at once. @throws Error for anything but a log-in */
  async comeByProvider(subject: string): Promise<void> {
    const begun = await this.#ask("/accounts/login/social/bench/");
    const asked = new URL(begun.headers.get("location") ?? "about:blank").searchParams;
    const back = new URLSearchParams({ code: `${subject}.${asked.get("nonce")}`, state: asked.get("state") ?? "" });
    this.#check(await this.#ask(`/complete/bench/?${back}`));
  }

  /** The same by a password. */
  async comeByPassword(username: string, password: string): Promise<void> {
    this.#check(await this.#ask("/login/", { method: "POST", body: new URLSearchParams({ username, password }) }));
  }

  #check(response: Response): void {
    if (response.status !== 302 || !this.#cookies.has("sessionid"))
      throw new Error(`nobody was logged in: it answered ${response.status}`);
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(`${this.base}${path}`, { ...init, redirect: "manual", headers: { cookie } });
    await response.arrayBuffer();
    for (const set of response.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const at = pair.indexOf("=");
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  }
}
