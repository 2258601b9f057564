import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { base64url, CompactSign, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { JwtConfigError, JwtError, type JwtProblem, parseJwtKeys, verifyJwt } from "../../../actors/users/jwt.ts";

const secret = "0123456789abcdef0123456789abcdef";
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const otherRsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const pem = (key: KeyObject) => key.export({ type: "spki", format: "pem" }).toString();

const nowSecs = Math.floor(Date.now() / 1000);
const claims = { email: "iago@zulip.example" };

function sign(
  alg: string,
  key: KeyObject | string,
  payload: Record<string, unknown> = claims,
  header = {},
): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg, ...header })
    .sign(typeof key === "string" ? new TextEncoder().encode(key) : key);
}

async function problemOf(
  token: string,
  keys: Record<string, unknown>,
  host = "chat.example",
): Promise<JwtProblem | undefined> {
  try {
    await verifyJwt(token, host, parseJwtKeys(JSON.stringify(keys)));
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(JwtError);
    return (error as JwtError).problem;
  }
}

const hs = { "*": { algorithm: "HS256", key: secret } };

describe("verifying", () => {
  test("a key of several organizations is for a token that names its own, in aud", async () => {
    const keys = parseJwtKeys(JSON.stringify({ "*": { algorithm: "HS256", key: secret } }));
    const verify = async (aud: string | undefined, isShared: boolean) =>
      verifyJwt(await sign("HS256", secret, { ...claims, aud }), "chat.example:9991", keys, new Date(), 0, isShared);
    await expect(verify(undefined, false)).resolves.toMatchObject(claims);
    await expect(verify(undefined, true)).rejects.toMatchObject({ problem: "wrong_audience" });
    await expect(verify("team.example", true)).rejects.toMatchObject({ problem: "wrong_audience" });
    for (const aud of ["chat.example", "https://chat.example/", "chat.example:9991"])
      await expect(verify(aud, true)).resolves.toMatchObject(claims);
  });

  test("audience beside a key is what aud names in the place of the host", async () => {
    const keys = { "chat.example": { algorithm: "HS256", key: secret, audience: "client-17" } };
    expect(await problemOf(await sign("HS256", secret, { ...claims, aud: "client-17" }), keys)).toBeUndefined();
    expect(await problemOf(await sign("HS256", secret, { ...claims, aud: "chat.example" }), keys)).toBe(
      "wrong_audience",
    );
    expect(() => parseJwtKeys(JSON.stringify({ x: { algorithm: "HS256", key: secret, audience: 5 } }))).toThrow(
      "audience",
    );
  });

  test("each kind of key verifies its own tokens and gives the address", async () => {
    const cases = [
      ["HS256", secret, { algorithm: "HS256", key: secret }],
      ["HS512", secret.repeat(2), { algorithm: "HS512", key: secret.repeat(2) }],
      ["RS256", rsa.privateKey, { algorithm: "RS256", key: pem(rsa.publicKey) }],
      ["PS384", rsa.privateKey, { algorithm: "PS384", key: pem(rsa.publicKey) }],
      ["ES256", ec.privateKey, { algorithm: "ES256", key: pem(ec.publicKey) }],
      ["EdDSA", ed.privateKey, { algorithm: "EdDSA", key: pem(ed.publicKey) }],
      ["RS256", rsa.privateKey, pem(rsa.publicKey)],
      ["ES256", ec.privateKey, pem(ec.publicKey)],
      ["EdDSA", ed.privateKey, pem(ed.publicKey)],
    ] as const;
    for (const [algorithm, key, config] of cases) {
      const keys = parseJwtKeys(JSON.stringify({ "*": config }));
      expect(await verifyJwt(await sign(algorithm, key), "chat.example", keys), algorithm).toMatchObject(claims);
    }
  });

  test("the organization's own key comes before the one for all", async () => {
    const token = await sign("HS256", secret);
    const own = { algorithm: "HS256", key: "another secret, as long as needed" };
    expect(await problemOf(token, { "chat.example": own, ...hs })).toBe("bad_signature");
    expect(await problemOf(token, { "chat.example": own, ...hs }, "CHAT.example:9991")).toBe("bad_signature");
    expect(await problemOf(token, { "chat.example": own, ...hs }, "other.example")).toBeUndefined();
    expect(await problemOf(token, { "chat.example": own }, "other.example")).toBe("not_configured");
    expect(await problemOf(token, {})).toBe("not_configured");
  });

  test("a bad signature", async () => {
    const token = await sign("HS256", secret);
    const [header, , signature] = token.split(".");
    const forged = base64url.encode(JSON.stringify({ email: "desdemona@zulip.example" }));
    expect(await problemOf(`${header}.${forged}.${signature}`, hs)).toBe("bad_signature");
    expect(await problemOf(await sign("HS256", `${secret}!`), hs)).toBe("bad_signature");
    expect(await problemOf(`${header}.${forged}.`, hs)).toBe("bad_signature");
    expect(await problemOf(await sign("RS256", otherRsa.privateKey), { "*": pem(rsa.publicKey) })).toBe(
      "bad_signature",
    );
  });

  test("a token without a signature", async () => {
    for (const alg of ["none", "None", "NONE"]) {
      const head = base64url.encode(JSON.stringify({ alg }));
      const body = base64url.encode(JSON.stringify(claims));
      expect(await problemOf(`${head}.${body}.`, hs)).toBe("unsigned");
      expect(await problemOf(`${head}.${body}.`, { "*": pem(rsa.publicKey) })).toBe("unsigned");
    }
  });

  test("another algorithm than the configured one, even with the same key", async () => {
    expect(await problemOf(await sign("HS384", secret), hs)).toBe("wrong_algorithm");
    expect(await problemOf(await sign("PS256", rsa.privateKey), { "*": pem(rsa.publicKey) })).toBe("wrong_algorithm");
    // The classic confusion: the public key, which everyone has, used as a shared secret.
    expect(await problemOf(await sign("HS256", pem(rsa.publicKey)), { "*": pem(rsa.publicKey) })).toBe(
      "wrong_algorithm",
    );
  });

  test("expired, and not valid yet", async () => {
    expect(await problemOf(await sign("HS256", secret, { ...claims, exp: nowSecs - 1 }), hs)).toBe("expired");
    expect(await problemOf(await sign("HS256", secret, { ...claims, exp: nowSecs + 60 }), hs)).toBeUndefined();
    expect(await problemOf(await sign("HS256", secret, { ...claims, nbf: nowSecs + 60 }), hs)).toBe("not_yet_valid");
    expect(await problemOf(await sign("HS256", secret, { ...claims, nbf: nowSecs - 60 }), hs)).toBeUndefined();
    const keys = parseJwtKeys(JSON.stringify(hs));
    const token = await sign("HS256", secret, { ...claims, exp: nowSecs + 60 });
    await expect(verifyJwt(token, "x", keys, new Date((nowSecs + 61) * 1000))).rejects.toMatchObject({
      problem: "expired",
    });
  });

  test("no address", async () => {
    for (const email of [undefined, null, 7, "", "  ", ["a@b.example"], { a: 1 }]) {
      expect(await problemOf(await sign("HS256", secret, { email }), hs), String(email)).toBe("no_email");
    }
  });

  test.each([
    "",
    "x",
    "a.b.c",
    "..",
    "e30.e30.e30",
    `${base64url.encode('"x"')}.e30.`,
    "a.b.c.d.e",
    "\0",
    "é.é.é",
    "x".repeat(20_000),
  ])("%# is no token", async (token) => {
    expect(await problemOf(token, hs)).toBe("malformed");
  });

  test("claims of the wrong type and payloads that are no object", async () => {
    const expires = await new SignJWT({ ...claims, exp: "tomorrow" as unknown as number })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret));
    expect(await problemOf(expires, hs)).toBe("malformed");
    const list = await new CompactSign(new TextEncoder().encode('["iago@zulip.example"]'))
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret));
    expect(await problemOf(list, hs)).toBe("malformed");
  });

  test("every problem has a sentence of its own", () => {
    const all: JwtProblem[] = [
      "not_configured",
      "malformed",
      "unsigned",
      "wrong_algorithm",
      "bad_signature",
      "expired",
      "not_yet_valid",
      "no_email",
    ];
    const sentences = all.map((problem) => new JwtError(problem).message);
    expect(new Set(sentences).size).toBe(all.length);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });
});

describe("key sets", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "parley-jwks-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function file(keys: unknown): string {
    const path = join(folder, `${Math.random()}.json`);
    writeFileSync(path, JSON.stringify(keys));
    return path;
  }
  const jwk = (key: KeyObject, more = {}) => ({ ...key.export({ format: "jwk" }), ...more });

  test("the key id chooses; without one each key is tried", async () => {
    const jwks = file({ keys: [jwk(rsa.publicKey, { kid: "a" }), jwk(otherRsa.publicKey, { kid: "b" })] });
    const keys = { "*": { algorithm: "RS256", jwks } };
    expect(await problemOf(await sign("RS256", rsa.privateKey, claims, { kid: "a" }), keys)).toBeUndefined();
    expect(await problemOf(await sign("RS256", rsa.privateKey, claims, { kid: "b" }), keys)).toBe("bad_signature");
    expect(await problemOf(await sign("RS256", rsa.privateKey, claims, { kid: "c" }), keys)).toBe("bad_signature");
    expect(await problemOf(await sign("RS256", otherRsa.privateKey), keys)).toBeUndefined();
    const third = generateKeyPairSync("rsa", { modulusLength: 2048 });
    expect(await problemOf(await sign("RS256", third.privateKey), keys)).toBe("bad_signature");
    expect(await problemOf(await sign("PS256", rsa.privateKey), keys)).toBe("wrong_algorithm");
    expect(await problemOf(await sign("RS256", otherRsa.privateKey, { ...claims, exp: 1 }), keys)).toBe("expired");
  });

  test("without an algorithm each key's own counts", async () => {
    const jwks = file({ keys: [jwk(rsa.publicKey, { alg: "RS256" }), jwk(ec.publicKey, { alg: "ES256" })] });
    expect(await problemOf(await sign("ES256", ec.privateKey), { "*": { jwks } })).toBeUndefined();
    expect(await problemOf(await sign("RS256", rsa.privateKey), { "*": { jwks } })).toBeUndefined();
    expect(await problemOf(await sign("RS512", rsa.privateKey), { "*": { jwks } })).toBe("wrong_algorithm");
  });

  test("sets that cannot be used are refused by name", () => {
    const bad: [unknown, string | undefined][] = [
      [{ keys: [] }, "RS256"],
      [{}, "RS256"],
      [{ keys: [1] }, undefined],
      [{ keys: [jwk(rsa.publicKey)] }, undefined],
      [{ keys: [jwk(rsa.privateKey)] }, "RS256"],
      [{ keys: [{ kty: "oct", k: "c2VjcmV0" }] }, "RS256"],
      [{ keys: [jwk(ec.publicKey)] }, "RS256"],
      [{ keys: [{ kty: "RSA" }] }, "RS256"],
      [{ keys: [jwk(rsa.publicKey, { alg: "RS256" })] }, "ES256"],
      [{ keys: [jwk(rsa.publicKey)] }, "HS256"],
    ];
    for (const [set, algorithm] of bad) expectRefused({ "*": { algorithm, jwks: file(set) } });
    expectRefused({ "*": { algorithm: "RS256", jwks: join(folder, "missing.json") } });
  });
});

function expectRefused(value: unknown): string {
  let message = "";
  try {
    parseJwtKeys(typeof value === "string" ? value : JSON.stringify(value));
  } catch (error) {
    expect(error).toBeInstanceOf(JwtConfigError);
    message = (error as Error).message;
  }
  expect(message, JSON.stringify(value)).toContain("PARLEY_JWT_KEYS");
  return message;
}

describe("configuration", () => {
  test("no value is no keys", () => expect(parseJwtKeys(" ").size).toBe(0));

  test("what cannot be used is refused with a sentence that names the variable", () => {
    const smallRsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
    for (const value of [
      "{",
      "[]",
      "null",
      '"x"',
      { "": { algorithm: "HS256", key: "x" } },
      { "*": null },
      { "*": [] },
      { "*": "not a key" },
      { "*": {} },
      { "*": { key: "x" } },
      { "*": { algorithm: "none", key: "x" } },
      { "*": { algorithm: "HS1", key: "x" } },
      { "*": { algorithm: "HS256", key: "" } },
      { "*": { algorithm: "HS256", key: 7 } },
      { "*": { algorithm: "HS256", key: "x", jwks: "y" } },
      { "*": { algorithm: "HS256", key: pem(rsa.publicKey) } },
      { "*": { algorithm: "RS256", key: "secret" } },
      { "*": { algorithm: "RS256", key: pem(ec.publicKey) } },
      { "*": { algorithm: "ES384", key: pem(ec.publicKey) } },
      { "*": { algorithm: "RS256", key: pem(smallRsa.publicKey) } },
      { "*": { algorithm: "RS256", key: rsa.privateKey.export({ type: "pkcs8", format: "pem" }) } },
    ]) {
      expectRefused(value);
    }
  });

  test("a refusal names the host and never the key", () => {
    const message = expectRefused({ "chat.example": { algorithm: "RS256", key: "top secret" } });
    expect(message).toContain("chat.example");
    expect(message).not.toContain("top secret");
  });
});
