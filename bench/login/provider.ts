/**
 * A provider of identities that costs as little as one can: it signs an ID token for whomever the code names. A code
 * is `SUBJECT.NONCE`. It runs in a process of its own, so that none of it counts as the server's.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { answer } from "../harness/child.ts";

const clientId = "parley";
const tokenSecs = 300;
const { privateKey, publicKey } = await generateKeyPair("RS256");
const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "one", alg: "RS256", use: "sig" }] });
const server = createServer((request, response) => void serve(request, response));

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let body = "";
  for await (const chunk of request) body += String(chunk);
  response.setHeader("Content-Type", "application/json");
  if (request.url === "/keys") response.end(keys);
  else if (request.url === "/token") response.end(await token(issuer, new URLSearchParams(body).get("code") ?? ""));
  else
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      }),
    );
}

async function token(issuer: string, code: string): Promise<string> {
  const [sub = "", nonce = ""] = code.split(".");
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, aud: clientId, sub, nonce, iat: now, exp: now + tokenSecs, name: "Bench Person" };
  const id_token = await new SignJWT({ ...claims, email: `${sub}@bench.example`, email_verified: true })
    .setProtectedHeader({ alg: "RS256", kid: "one" })
    .sign(privateKey);
  return JSON.stringify({ access_token: "access", token_type: "Bearer", id_token });
}

answer({
  /** Listens on a free port of the loopback interface, and returns it. */
  listen: () =>
    new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
    ),
});
process.on("disconnect", () => process.exit());
