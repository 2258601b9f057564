/**
 * Signs requests to an S3 store, by version 4 of AWS's signatures: those of this server in their headers, and addresses
 * for others in their query. https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
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

const algorithm = "AWS4-HMAC-SHA256";

/** When, as a signature says it, and what its key is good for. */
function scopeOf(region: string, now: Date): { time: string; scope: string } {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "");
  return { time, scope: `${time.slice(0, 8)}/${region}/s3/aws4_request` };
}

/** The signature of a request, of which every header given is signed. */
function signatureOf(request: Unsigned, keys: S3Keys, { time, scope }: { time: string; scope: string }): string {
  const names = Object.keys(request.headers).sort();
  const canonical = [
    request.method,
    request.path,
    request.query,
    ...names.map((name) => `${name}:${defined(request.headers[name], "header").trim()}`),
    "",
    names.join(";"),
    request.bodyHash,
  ].join("\n");
  const text = [algorithm, time, scope, sha256(canonical)].join("\n");
  const key = scope.split("/").reduce<string | Buffer>((so, part) => hmac(so, part), `AWS4${keys.secretAccessKey}`);
  return hmac(key, text).toString("hex");
}

/** The headers to send: those given, and the ones of the signature. */
export function sign(request: Unsigned, keys: S3Keys, region: string, now: Date): Record<string, string> {
  const at = scopeOf(region, now);
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-content-sha256": request.bodyHash,
    "x-amz-date": at.time,
    ...(keys.sessionToken !== undefined && { "x-amz-security-token": keys.sessionToken }),
  };
  const signature = signatureOf({ ...request, headers }, keys, at);
  const signed = Object.keys(headers).sort().join(";");
  return {
    ...headers,
    authorization: `${algorithm} Credential=${keys.accessKeyId}/${at.scope}, SignedHeaders=${signed}, Signature=${signature}`,
  };
}

/** What anybody may fetch for a while. */
interface Lent {
  host: string;
  /** As it is sent, in which each part is encoded. */
  path: string;
  query: Readonly<Record<string, string>>;
  secs: number;
}

/** The query of an address by which anybody may fetch a file from `now` on. */
export function signQuery({ host, path, query, secs }: Lent, keys: S3Keys, region: string, now: Date): string {
  const at = scopeOf(region, now);
  const signed = canonicalQuery({
    ...query,
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": `${keys.accessKeyId}/${at.scope}`,
    "X-Amz-Date": at.time,
    "X-Amz-Expires": String(secs),
    "X-Amz-SignedHeaders": "host",
    ...(keys.sessionToken !== undefined && { "X-Amz-Security-Token": keys.sessionToken }),
  });
  const request = { method: "GET", path, query: signed, headers: { host }, bodyHash: "UNSIGNED-PAYLOAD" };
  return `${signed}&X-Amz-Signature=${signatureOf(request, keys, at)}`;
}
