/** A browser as far as HTTP goes: it keeps cookies, posts forms, and asks the API with its token. */

export class CookieClient {
  readonly #cookies = new Map<string, string>();

  /** @param headers sent with each request */
  constructor(
    private readonly url: string,
    private readonly headers: Record<string, string> = {},
  ) {}

  /** Sends a form, and follows nothing. */
  async form(
    path: string,
    fields: Record<string, string>,
  ): Promise<{ status: number; location: string; page: string }> {
    const reply = await this.#send(path, "POST", new URLSearchParams(fields));
    return { status: reply.status, location: reply.headers.get("location") ?? "", page: await reply.text() };
  }

  /** Asks the API. */
  async ask(method: string, path: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(params))
      fields.set(name, typeof value === "string" ? value : JSON.stringify(value));
    const reply = await this.#send(`/json${path}`, method, method === "GET" ? undefined : fields);
    return { status: reply.status, ...((await reply.json()) as object) };
  }

  /** Whether it is logged in. */
  get isLoggedIn(): boolean {
    return this.#cookies.has("sessionid");
  }

  /** Waits for events of a queue that it registered itself, or takes them as a stream. */
  events(queue: Record<string, unknown>, accept = "application/json"): Promise<Response> {
    const place = `queue_id=${String(queue["queue_id"])}&last_event_id=${String(queue["last_event_id"])}`;
    return this.#send(`/json/events?${place}`, "GET", undefined, { accept });
  }

  async #send(
    path: string,
    method: string,
    body?: URLSearchParams,
    more: Record<string, string> = {},
  ): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...this.headers, ...more, cookie, "x-csrftoken": this.#cookies.get("csrftoken") ?? "" };
    const reply = await fetch(`${this.url}${path}`, { method, headers, redirect: "manual", ...(body && { body }) });
    for (const line of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === "") this.#cookies.delete(name!);
      else this.#cookies.set(name!, value!);
    }
    return reply;
  }
}
