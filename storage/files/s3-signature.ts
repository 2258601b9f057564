/**
 * Signs requests to an S3 store, by version 4 of AWS's signatures with headers.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
import { createHash, createHmac } from "node:crypto";
import { defined } from "../failures.ts";

export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of keys that are good for a while. */
  sessionToken?: string | undefined;
}

export interface Unsigned {
  method: string;
  /** As it is sent, in which each part is encoded. */
  path: string;
  /** As `canonicalQuery` writes it. */
  query: string;
  /** By names in small letters. */
  headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hexadecimal digits. */
  bodyHash: string;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** Everything but letters, digits and `-._~` in hexadecimal digits. */
export const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** A query with its parameters in the order of a signature. */
export const canonicalQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .sort()
    .join("&");

/** The headers to send: those given, and the ones of the signature. */
export function sign(request: Unsigned, keys: S3Keys, region: string, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-content-sha256": request.bodyHash,
    "x-amz-date": time,
    ...(keys.sessionToken !== undefined && { "x-amz-security-token": keys.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(";");
  const canonical = [
    request.method,
    request.path,
    request.query,
    ...names.map((name) => `${name}:${defined(headers[name], "header").trim()}`),
    "",
    signed,
    request.bodyHash,
  ].join("\n");
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((so, part) => hmac(so, part), `AWS4${keys.secretAccessKey}`);
  const signature = hmac(key, text).toString("hex");
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}
