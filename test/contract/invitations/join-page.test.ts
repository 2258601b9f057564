import { beforeAll, describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";
import { browserPath, openBrowser } from "../../support/web/browser.ts";

const server = testServer({ alsoOn: ["native build"] });
const [member] = server.people("Member");
const books = server.channel("books", [member]);
beforeAll(setUp);

describe("the page behind an invitation link", () => {
  it("is a form of ours that needs nothing from elsewhere", async () => {
    const page = await open(await newLink());
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toContain("text/html");
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.text).not.toMatch(/https?:\/\//);
    for (const name of ["full_name", "email", "password"]) {
      expect(page.text).toContain(`<label for="${name}">`);
      expect(page.text).toContain(`name="${name}"`);
    }
  });

  it("joining makes an account with the invited role, and logs the browser in", async () => {
    const path = await newLink({ invite_as: 300 });
    const reply = await submit(path, form("mod@example.org"));
    expect(reply.status).toBe(302);
    const cookies = reply.headers.getSetCookie();
    expect(cookies.some((cookie) => /^sessionid=[\w-]+;.*HttpOnly/.test(cookie))).toBe(true);
    const user = (await userOf("mod@example.org"))!;
    expect(user).toMatchObject({ role: 300, full_name: "New Person", is_active: true });
    const welcome = await anybody().get(
      "/json/users/me",
      {},
      { root: true, headers: { Cookie: cookies.map((c) => c.split(";")[0]).join("; ") } },
    );
    expect(welcome.body["delivery_email"]).toBe("mod@example.org");
    const key = expectSuccess(
      await anybody().post("/fetch_api_key", { username: "mod@example.org", password: "a fine password" }),
    );
    expect(key["user_id"]).toBe(user.id);
  });

  it("brings the invitation's channels and groups, and no default channel unless it says so", async () => {
    const state = await server.state();
    const subscribed = async (email: string) => state.subscriptions.channelsOf((await userOf(email))!.id);
    await submit(await newLink(), form("bare@example.org"));
    expect(await subscribed("bare@example.org")).toEqual([]);
    await submit(await newLink({ stream_ids: [books.id] }), form("reader@example.org"));
    expect(await subscribed("reader@example.org")).toEqual([books.id]);
    await submit(
      await newLink({ stream_ids: [books.id], include_realm_default_subscriptions: true }),
      form("all@example.org"),
    );
    expect(await subscribed("all@example.org")).toEqual([general, books.id].sort((a, b) => a - b));
  });

  it("puts the person into the invitation's groups", async () => {
    const { group_id } = expectSuccess(
      await server.owner.client.post("/user_groups/create", { name: "joiners", description: "", members: [] }),
    );
    await submit(await newLink({ group_ids: [group_id] }), form("grouped@example.org"));
    const state = await server.state();
    expect(state.groups.directMembers(group_id as number)).toEqual([(await userOf("grouped@example.org"))!.id]);
  });

  it("welcomes with the invitation's text, else the organization's; an empty one is none", async () => {
    const greetings = async (email: string) => {
      const key = expectSuccess(
        await anybody().post("/fetch_api_key", { username: email, password: "a fine password" }),
      );
      const client = new ApiClient({ url: server.url, email, apiKey: key["api_key"] as string });
      const reply = expectSuccess(
        await client.get("/messages", { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false }),
      );
      return (reply["messages"] as { content: string; sender_full_name: string }[])
        .filter((message) => message.sender_full_name === "Welcome Bot")
        .map((message) => message.content);
    };
    await submit(await newLink({ welcome_message_custom_text: '"Hello **you**"' }), form("greeted@example.org"));
    expect(await greetings("greeted@example.org")).toEqual(["Hello **you**"]);
    await server.owner.setRealm({ welcome_message_custom_text: "Be kind" });
    await submit(await newLink(), form("kind@example.org"));
    expect(await greetings("kind@example.org")).toEqual(["Be kind"]);
    await submit(await newLink({ welcome_message_custom_text: '""' }), form("silent@example.org"));
    expect(await greetings("silent@example.org")).toEqual([]);
  });

  it("tells the inviter, by the notification bot", async () => {
    const path = await newLink();
    const queue = await server.owner.queue({ event_types: ["message"], apply_markdown: true });
    await submit(path, form("told@example.org", { full_name: "Told [x](https://evil.example)" }));
    const event = await server.owner.client.nextEvent(queue, (seen) => seen.type === "message");
    const { content, sender_full_name } = event["message"] as { content: string; sender_full_name: string };
    expect(sender_full_name).toBe("Notification Bot");
    expect(content).toContain("accepted your invitation");
    expect(content).toContain("Told [x](https://evil.example)");
    expect(content).not.toContain("<a ");
    expectSuccess(await server.owner.client.patch("/settings", { default_language: "fr" }));
    try {
      await submit(path, form("dite@example.org", { full_name: "Dite" }));
      const french = await server.owner.client.nextEvent(queue, (seen) => seen.type === "message");
      expect((french["message"] as { content: string }).content).toContain("a accepté votre invitation");
    } finally {
      expectSuccess(await server.owner.client.patch("/settings", { default_language: "en" }));
    }
  });

  it("a link may be used again; an invitation of one address only once, and by that address", async () => {
    const path = await newLink();
    for (const email of ["first@example.org", "second@example.org"])
      expect((await submit(path, form(email))).status).toBe(302);
    expectSuccess(await server.owner.client.post("/invites", { invitee_emails: "only@example.org", stream_ids: [] }));
    const { database } = await server.realm();
    const rows = await database.sql<{ key: string }[]>`select key from invitations where email = 'only@example.org'`;
    const own = `/join/${rows[0]!.key}/`;
    expect((await open(own)).text).toContain('value="only@example.org"');
    expect((await submit(own, form("another@example.org"))).status).toBe(302);
    expect(await userOf("another@example.org")).toBeUndefined();
    expect(await userOf("only@example.org")).toBeDefined();
    expect((await submit(own, form("only@example.org"))).status).toBe(404);
  });

  it("is dead when the invitation is unknown, over, taken back, or its inviter gone", async () => {
    for (const path of ["/join/unknown/", "/join/%00/", `/join/${"x".repeat(500)}/`])
      expect((await open(path)).status).toBe(404);
    const { database } = await server.realm();
    const over = await newLink();
    await database.sql`update invitations set expires_at = 5 where key = ${over.split("/")[2]!}`;
    expect((await open(over)).status).toBe(404);
    expect((await submit(over, form("late@example.org"))).status).toBe(404);
    const revoked = await newLink();
    await database.sql`update invitations set state = 'revoked' where key = ${revoked.split("/")[2]!}`;
    expect((await submit(revoked, form("late@example.org"))).status).toBe(404);
    const inviter = await server.addUser("Inviter", { role: 200 });
    const reply = expectSuccess(await inviter.client.post("/invites/multiuse"));
    const orphan = new URL(reply["invite_link"] as string).pathname;
    expect((await open(orphan)).status).toBe(200);
    expectSuccess(await server.owner.client.delete(`/users/${inviter.id}`));
    expect((await open(orphan)).status).toBe(404);
    expect(await userOf("late@example.org")).toBeUndefined();
  });

  it("says what is wrong, keeps what was typed but for the password, and escapes it", async () => {
    const path = await newLink();
    const evil = `"><script>alert('x')</script>`;
    const page = await submit(path, form("nobody", { full_name: evil, password: "secret password" }));
    expect(page.status).toBe(400);
    expect(page.text).toContain('role="alert"');
    expect(page.text).not.toContain("<script>alert");
    expect(page.text).not.toContain("secret password");
    // Who comes back goes on where something is to be typed.
    expect(page.text).toMatch(/<input id="password"[^>]* autofocus/);
    expect(page.text).not.toMatch(/<input id="full_name"[^>]* autofocus/);
    for (const wrong of [
      form("not an address"),
      form(member.email),
      form("short@example.org", { password: "short" }),
      form("long@example.org", { password: "x".repeat(101) }),
      form("unnamed@example.org", { full_name: " " }),
      form("starred@example.org", { full_name: "a*b" }),
    ]) {
      expect((await submit(path, wrong)).status).toBe(400);
    }
    for (const email of ["short", "long", "unnamed", "starred"])
      expect(await userOf(`${email}@example.org`)).toBeUndefined();
  });

  it("a form on another site makes no account", async () => {
    const path = await newLink();
    const reply = await submit(path, form("tricked@example.org"), { Origin: "https://evil.example" });
    expect(reply.status).toBe(400);
    expect(await userOf("tricked@example.org")).toBeUndefined();
  });

  it("holds to the organization's domains, with subdomains where they are allowed", async () => {
    const { client } = server.owner;
    const path = await newLink();
    const wrong = ["a@other.example", "a@x.corp.example", "a@notcorp.example", "a+b@corp.example"];
    const right = ["a@corp.example", "b@Corp.EXAMPLE", "a@wide.example", "a@x.y.wide.example"];
    const invite = (email: string) => client.post("/invites", { invitee_emails: email, stream_ids: [] });
    const linkFor = async (email: string) =>
      new URL((expectSuccess(await invite(email))["links"] as [{ invite_link: string }])[0].invite_link).pathname;
    const early = new Map<string, string>();
    for (const email of wrong) early.set(email, await linkFor(email));
    expectSuccess(await client.post("/realm/domains", { domain: "corp.example", allow_subdomains: false }));
    expectSuccess(await client.post("/realm/domains", { domain: "wide.example", allow_subdomains: true }));
    expectSuccess(await client.patch("/realm", { emails_restricted_to_domains: true }));
    try {
      for (const email of wrong) expect((await submit(early.get(email)!, form(email))).status, email).toBe(400);
      for (const email of right) expect((await submit(await linkFor(email), form(email))).status, email).toBe(302);
    } finally {
      expectSuccess(await client.patch("/realm", { emails_restricted_to_domains: false }));
    }
    expect((await submit(path, form("a@mailinator.com"))).status).toBe(400);
  });

  it("converges: everybody hears of the newcomer", async () => {
    const path = await newLink({ stream_ids: [books.id], include_realm_default_subscriptions: true });
    await assertConverges({
      observers: [server.owner.client, member.client],
      act: () => submit(path, form("seen@example.org")),
    });
  });
});

describe("browser sign-in", () => {
  it("logs in with a cookie", async () => {
    const page = await open("/login/");
    expect(page.text).toContain('name="username"');
    const wrong = await submit("/login/", { username: member.email, password: "wrong password" });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.getSetCookie()).toEqual([]);
    const right = await submit("/login/", { username: member.email, password: "a fine password" });
    expect(right.status).toBe(302);
    const names = right.headers.getSetCookie().map((cookie) => cookie.split("=")[0]);
    expect(names.sort()).toEqual(["csrftoken", "device", "sessionid"]);
  });

  it("mobile_flow_otp: the key goes to the application under its pad", async () => {
    const otp = "0123456789abcdef".repeat(4);
    expect((await open(`/login/?mobile_flow_otp=${otp}`)).text).toContain(`value="${otp}"`);
    const reply = await submit("/login/", {
      username: member.email,
      password: "a fine password",
      mobile_flow_otp: otp,
    });
    const location = new URL(reply.headers.get("location")!);
    expect(`${location.protocol}//${location.host}`).toBe("zulip://login");
    expect(location.searchParams.get("email")).toBe(member.email);
    expect(location.searchParams.get("user_id")).toBe(String(member.id));
    expect(location.searchParams.get("realm")).toMatch(/^http:\/\//);
    const sealed = Buffer.from(location.searchParams.get("otp_encrypted_api_key")!, "hex");
    const pad = Buffer.from(otp, "hex");
    expect(Buffer.from(sealed.map((byte, index) => byte ^ pad[index]!)).toString()).toBe(member.apiKey);
    expect((await open("/login/?mobile_flow_otp=abc")).status).toBe(400);
    expectError(await member.client.post("/fetch_api_key", { username: member.email, password: "x" }), 401);
  });

  it("returns to the place in the page that one came from, and to nowhere else", async () => {
    const to = async (next: string) => {
      const reply = await submit("/login/", { username: member.email, password: "a fine password", next });
      return reply.headers.get("location");
    };
    expect(await to("#narrow/channel/1-general/topic/hello")).toBe("/#narrow/channel/1-general/topic/hello");
    for (const next of ["", "https://evil.example", "//evil.example", "#a\r\nSet-Cookie: b=c", "#a b"])
      expect(await to(next), next).toBe("/");
  });

  it("a page tells what this server is", async () => {
    const page = await open("/about/");
    expect(page.status).toBe(200);
    expect(page.text).toContain("Parley");
    expect(page.text).toContain("/login/");
  });
});

if (!browserPath) console.warn("No Chromium was found: joining in a real browser is not tested here.");

describe.skipIf(!browserPath)("in a browser (skipped where there is no Chromium)", () => {
  it("a person joins, sees where things are, and can log in again, without JavaScript too", async () => {
    const browser = await openBrowser();
    try {
      for (const javaScriptEnabled of [true, false]) {
        const context = await browser.newContext({ javaScriptEnabled, baseURL: server.url });
        const page = await context.newPage();
        const problems: string[] = [];
        page.on("console", (line) => line.type() === "error" && problems.push(line.text()));
        // What is under way when one leaves a page is broken off; a browser that runs no scripts refuses to load them.
        const usual = ["net::ERR_ABORTED", ...(javaScriptEnabled ? [] : ["csp"])];
        page.on("requestfailed", (request) => {
          const why = request.failure()?.errorText ?? "";
          if (!usual.includes(why)) problems.push(`${request.url()}: ${why}`);
        });
        const email = `browser-${javaScriptEnabled}@example.org`;
        await page.goto(await newLink({ stream_ids: [books.id] }));
        await page.getByLabel("Name").fill("Anna of the Browser");
        await page.getByLabel("Email").fill(email);
        await page.getByLabel("Password").fill("a fine password");
        await page.getByRole("button", { name: "Join" }).click();
        await page.waitForURL(/\/(?:#.*)?$/);
        await page.goto("/about/");
        expect(await page.textContent("main")).toContain("Anna of the Browser");
        expect(await page.textContent("main")).toContain(email);
        const user = (await userOf(email))!;
        expect((await server.state()).subscriptions.has(user.id, books.id)).toBe(true);
        await context.clearCookies();
        await page.goto("/login/");
        await page.getByLabel("Email").fill(email);
        await page.getByLabel("Password").fill("wrong password");
        await page.getByRole("button", { name: "Log in" }).click();
        expect(await page.getByRole("alert").textContent()).toContain("incorrect");
        expect(await page.getByLabel("Email").inputValue()).toBe(email);
        await page.getByLabel("Password").fill("a fine password");
        await page.getByRole("button", { name: "Log in" }).click();
        await page.waitForURL(/\/(?:#.*)?$/);
        await page.goto("/about/");
        expect(await page.textContent("main")).toContain(email);
        // The log-in that failed on purpose answers 401, which the browser reports.
        expect(problems.filter((problem) => !problem.includes("401"))).toEqual([]);
        await context.close();
      }
    } finally {
      await browser.close();
    }
  });
});

async function setUp(): Promise<void> {
  general = (await server.state()).channelByName("general")!.id;
}

let general: number;

/** The path of a new link. */
async function newLink(params: JsonObject = {}): Promise<string> {
  const reply = expectSuccess(await server.owner.client.post("/invites/multiuse", params));
  return new URL(reply["invite_link"] as string).pathname;
}
const anybody = () => new ApiClient({ url: server.url, userAgent: "Browser/1.0" });
const open = (path: string) => anybody().get(path, {}, { root: true });
const submit = (path: string, fields: JsonObject, headers: Record<string, string> = {}) =>
  anybody().post(path, fields, { root: true, headers });
const form = (email: string, more: JsonObject = {}) => ({
  full_name: "New Person",
  email,
  password: "a fine password",
  ...more,
});
const userOf = async (email: string) => (await server.state()).userByEmail(email);
