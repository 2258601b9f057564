import { generateKeyPairSync } from "node:crypto";
import { SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { housekeep } from "../../../actors/housekeeping.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const secret = "a secret of thirty-two bytes or more";
const server = testServer({
  environment: { PARLEY_JWT_KEYS: JSON.stringify({ "*": { algorithm: "HS256", key: secret } }) },
});
const [member] = server.people("Mia Member");
beforeAll(setUp);

describe("POST /jwt/fetch_api_key", () => {
  it("answers the key and the email of the account in the email claim, without any other log-in", async () => {
    const answer = expectSuccess(await fetchKey(await sign({ email: member.email.toUpperCase() })));
    expect(answer).toMatchObject({ api_key: member.apiKey, email: member.email });
    expect(answer).not.toHaveProperty("user");
  });

  it("include_profile adds the user, without profile_data", async () => {
    const answer = expectSuccess(await fetchKey(await sign({ email: member.email }), { include_profile: true }));
    expect(answer["user"]).toMatchObject({ user_id: member.id, delivery_email: member.email, role: 400 });
    expect(answer["user"]).not.toHaveProperty("profile_data");
  });

  it("token is required", async () => {
    const error = expectError(await anybody.post("/jwt/fetch_api_key"), 400, "REQUEST_VARIABLE_MISSING");
    expect(error["var_name"]).toBe("token");
  });

  it("exp and nbf are enforced where they are given", async () => {
    const claims = { email: member.email };
    expectSuccess(await fetchKey(await sign({ ...claims, exp: now() + 60, nbf: now() - 60 })));
    const late = expectError(await fetchKey(await sign({ ...claims, exp: now() - 60 })), 400);
    const early = expectError(await fetchKey(await sign({ ...claims, nbf: now() + 60 })), 400);
    expect(late["msg"]).not.toBe(early["msg"]);
  });

  it("the algorithm is the configured one, whatever the token says", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const claims = { email: member.email };
    expectError(await fetchKey(await sign(claims, privateKey, "ES256")), 400);
    expectError(await fetchKey(await sign(claims, new TextEncoder().encode(secret.repeat(2)), "HS512")), 400);
    expectError(await fetchKey(new UnsecuredJWT(claims).encode()), 400);
  });

  it("each kind of bad token has an error of its own", async () => {
    const messages = await Promise.all(
      [
        await sign({ email: member.email }, new TextEncoder().encode("another secret of thirty-two bytes")),
        await sign({ sub: member.email }),
        await sign({ email: "" }),
        await sign({ email: member.email, exp: now() - 60 }),
        await sign({ email: "nobody@example.com" }),
        "not.a.token",
        new UnsecuredJWT({ email: member.email }).encode(),
      ].map(async (token) => {
        const answer = await fetchKey(token);
        expect([400, 401]).toContain(answer.status);
        expect(answer.body["result"]).toBe("error");
        return answer.body["msg"];
      }),
    );
    // A missing and an empty claim are the same mistake.
    expect(new Set(messages).size).toBe(messages.length - 1);
  });

  it("an unknown account is AUTHENTICATION_FAILED, a deactivated one USER_DEACTIVATED, a bot unknown", async () => {
    const gone = await server.addUser("Gone Gustav");
    const bot = expectSuccess(await member.client.post("/bots", { full_name: "Bot", short_name: "b" }));
    const botEmail = (expectSuccess(await member.client.get(`/users/${bot["user_id"]}`))["user"] as { email: string })
      .email;
    expectSuccess(await server.owner.client.delete(`/users/${gone.id}`));
    expectError(await fetchKey(await sign({ email: "nobody@example.com" })), 401, "AUTHENTICATION_FAILED");
    expectError(await fetchKey(await sign({ email: botEmail })), 401, "AUTHENTICATION_FAILED");
    expectError(await fetchKey(await sign({ email: gone.email })), 401, "USER_DEACTIVATED");
  });

  it("one that has a name is good once, of many at once too; one without is good until it ends", async () => {
    const token = await sign({ email: member.email, jti: "once", exp: now() + 600 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => fetchKey(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    expect(expectError(await fetchKey(token), 400)["msg"]).toContain("used before");
    expectSuccess(await fetchKey(await sign({ email: member.email, jti: "another", exp: now() + 600 })));
    const nameless = await sign({ email: member.email, exp: now() + 600 });
    for (let times = 0; times < 2; times++) expectSuccess(await fetchKey(nameless));
    await server.database.sql`update spent_tokens set expires_at = 5`;
    await housekeep(server.server.app.system.environment);
    expect(await server.database.sql`select from spent_tokens`).toHaveLength(0);
  });

  it("one that is refused for its account is not used up", async () => {
    const token = await sign({ email: "later@example.com", jti: "early", exp: now() + 600 });
    expectError(await fetchKey(token), 401, "AUTHENTICATION_FAILED");
    await server.addUser("Later");
    expectSuccess(await fetchKey(token));
  });

  it("one for somebody else is refused: aud names the organization, by host or address", async () => {
    const { host } = new URL((await server.state()).url);
    const withAudience = async (aud: unknown) => fetchKey(await sign({ email: member.email, aud } as JsonObject));
    for (const aud of [host, host.toUpperCase(), `http://${host}/`, ["other.example", host]])
      expectSuccess(await withAudience(aud));
    for (const aud of ["other.example", `https://evil.example/${host}`, ["a", "b"]])
      expect(expectError(await withAudience(aud), 400)["msg"]).toContain("aud");
  });

  it("without a key for the organization every token is refused, and the error says why", async () => {
    const bare = await startTestServer();
    try {
      const client = new ApiClient({ url: bare.url });
      const token = await sign({ email: bare.owner.email });
      const error = expectError(await client.post("/jwt/fetch_api_key", { token }), 400, "BAD_REQUEST");
      expect(error["msg"]).toContain("not enabled");
    } finally {
      await bare.stop();
    }
  });
});

async function setUp(): Promise<void> {
  anybody = new ApiClient({ url: server.url });
}

const key = new TextEncoder().encode(secret);
let anybody: ApiClient;

const now = () => Math.floor(Date.now() / 1000);
const sign = (claims: JsonObject, by: Parameters<SignJWT["sign"]>[0] = key, alg = "HS256") =>
  new SignJWT(claims).setProtectedHeader({ alg }).sign(by);
const fetchKey = (token: string, params: JsonObject = {}) => anybody.post("/jwt/fetch_api_key", { token, ...params });
