/**
 * Where the keys of an S3 store come from: the settings, a file in the form of AWS's `credentials`, or the role of the
 * machine (IMDSv2). Keys of a file or a role change while the server runs, so they are read again before they are old.
 */

import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { FilesUnavailable, messageOf, upTo } from "../failures.ts";
import type { S3Keys } from "./s3-signature.ts";

export interface KeySettings {
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  sessionToken: string | undefined;
  /** A file with a section `[default]`. */
  credentialsFile: string | undefined;
  /** Where a machine is told of its role. */
  metadataUrl: string;
}

/** A file is read again after so long. */
const fileKeptMs = 60_000;
/** Keys of a role are asked for again so long before they end. */
const renewedBeforeMs = 300_000;
const roleTimeoutMs = 2000;
const roleBytes = 64 * 1024;
const tokenSecs = 300;

interface Known {
  keys: S3Keys;
  /** UNIX milliseconds */
  untilMs: number;
}

export class KeySource {
  #known: Known | undefined;
  #asked: Promise<Known> | undefined;

  constructor(private readonly settings: KeySettings) {}

  /** @throws FilesUnavailable */
  async keys(): Promise<S3Keys> {
    if (this.#known && Date.now() < this.#known.untilMs) return this.#known.keys;
    // Many requests ask at once.
    this.#asked ??= this.#read().finally(() => (this.#asked = undefined));
    this.#known = await this.#asked;
    return this.#known.keys;
  }

  /** The store refuses the keys: others may be there by now. */
  forget(): void {
    this.#known = undefined;
  }

  async #read(): Promise<Known> {
    const { accessKeyId, secretAccessKey, sessionToken, credentialsFile, metadataUrl } = this.settings;
    if (accessKeyId !== undefined && secretAccessKey !== undefined)
      return { keys: { accessKeyId, secretAccessKey, sessionToken }, untilMs: Number.POSITIVE_INFINITY };
    if (credentialsFile !== undefined)
      return { keys: await keysInFile(credentialsFile), untilMs: Date.now() + fileKeptMs };
    return keysOfRole(metadataUrl);
  }
}

async function keysInFile(path: string): Promise<S3Keys> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new FilesUnavailable(`The keys of the object store cannot be read: ${error.code ?? error.message}.`);
  });
  const section = /^\s*\[default\]([^[]*)/m.exec(text)?.[1] ?? "";
  const field = (name: string) => new RegExp(`^\\s*${name}\\s*=\\s*(\\S+)`, "m").exec(section)?.[1];
  const [accessKeyId, secretAccessKey] = [field("aws_access_key_id"), field("aws_secret_access_key")];
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new FilesUnavailable(`${path} has no keys of an object store in a section [default].`);
  return { accessKeyId, secretAccessKey, sessionToken: field("aws_session_token") };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html */
async function keysOfRole(metadataUrl: string): Promise<Known> {
  const lifetime = { "x-aws-ec2-metadata-token-ttl-seconds": String(tokenSecs) };
  const token = await ask("PUT", `${metadataUrl}/latest/api/token`, lifetime);
  const proof = { "x-aws-ec2-metadata-token": token };
  const place = `${metadataUrl}/latest/meta-data/iam/security-credentials/`;
  const role = upTo((await ask("GET", place, proof)).trim(), "\n");
  const told: unknown = parse(await ask("GET", place + encodeURIComponent(role), proof));
  const field = (name: string): string => {
    const value: unknown = typeof told === "object" && told !== null ? Reflect.get(told, name) : undefined;
    if (typeof value !== "string") throw new FilesUnavailable("The role of this machine has no keys.");
    return value;
  };
  const keys = {
    accessKeyId: field("AccessKeyId"),
    secretAccessKey: field("SecretAccessKey"),
    sessionToken: field("Token"),
  };
  const ends = Date.parse(field("Expiration"));
  return { keys, untilMs: Number.isNaN(ends) ? Date.now() + fileKeptMs : ends - renewedBeforeMs };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function ask(method: string, url: string, headers: Record<string, string>): Promise<string> {
  const failed = (why: string) =>
    new FilesUnavailable(`No keys of the object store are set, and this machine was told none of a role: ${why}.`);
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, signal: AbortSignal.timeout(roleTimeoutMs) }, async (answer) => {
      let text = "";
      try {
        for await (const piece of answer) {
          text += String(piece);
          if (text.length > roleBytes) throw new Error("the answer is too long");
        }
        if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
        resolve(text);
      } catch (error) {
        reject(failed(messageOf(error)));
      }
    });
    asked.on("error", (error: NodeJS.ErrnoException) => reject(failed(error.code ?? error.message)));
    asked.end();
  });
}
