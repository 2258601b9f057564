/** The first organization, and how its owner gets in: told before anything else can go wrong, and kept in a file. */
import { randomBytes } from "node:crypto";
import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { createRealm } from "../../actors/organization/changes/create.ts";
import { makeFolderDurably, syncFolder, writeDurably } from "../../storage/durable-file.ts";
import { codeOf } from "../../storage/failures.ts";
import { lockFirstStart } from "../../storage/first-start.ts";
import type { Database } from "../../storage/postgres.ts";
import { hasRealms } from "../../storage/realms.ts";
import { hashPassword } from "../../storage/users/passwords.ts";
import type { Config } from "./config.ts";
import { repairZuliprc, writeZuliprc, zuliprcIn } from "./zuliprc.ts";

/** What the first start made. */
export interface FirstStart {
  email: string;
  /** undefined: the one that `PARLEY_OWNER_PASSWORD` had. */
  password: string | undefined;
  apiKey: string;
  zuliprc: string;
  channel: string;
}

/** The owner's password, for whoever may read the file; another one as long as no start has come to its end. */
const passwordIn = (dataDir: string): string => join(dataDir, "owner-password");
const untoldIn = (dataDir: string): string => join(dataDir, "owner-password.new");

/**
 * On an empty database: one organization with its owner, whose key is also left in `owner.zuliprc`. Also returned when
 * a start made it that did not come to its end: perhaps nobody has seen it.
 */
export async function createFirstRealm(
  { database, dataDir }: { database: Database; dataDir: string },
  config: Config,
): Promise<FirstStart | undefined> {
  if (await hasRealms(database.sql)) {
    await repairZuliprc(database.sql, dataDir, config.externalUrl);
    return readUntold(dataDir);
  }
  const password = config.ownerPassword ?? randomBytes(12).toString("base64url");
  const passwordHash = await hashPassword(password);
  await database.transaction(async (sql) => {
    await lockFirstStart(sql);
    if (await hasRealms(sql)) return;
    const { ownerApiKey, channel } = await createRealm(sql, {
      host: null,
      name: config.realmName,
      hasFirstMessages: config.welcomes,
      now: Math.floor(Date.now() / 1000),
      owner: { email: config.ownerEmail, fullName: "Owner", passwordHash },
    });
    // Before the commit: there is never an organization whose owner's key and password are nowhere to be found.
    const zuliprc = await writeZuliprc(dataDir, config.ownerEmail, ownerApiKey, config.externalUrl);
    // One that somebody chose they know: it is written nowhere.
    await writeUntold(dataDir, {
      email: config.ownerEmail,
      password: config.ownerPassword === undefined ? password : undefined,
      apiKey: ownerApiKey,
      zuliprc,
      channel,
    });
  });
  return readUntold(dataDir);
}

async function writeUntold(dataDir: string, { email, password, apiKey, channel }: FirstStart): Promise<void> {
  const lines = [
    `email=${email}`,
    ...(password ? [`password=${password}`] : []),
    `key=${apiKey}`,
    `channel=${channel}`,
  ];
  await makeFolderDurably(dataDir, 0o755);
  await writeDurably(untoldIn(dataDir), `${lines.join("\n")}\n`, { mode: 0o600 });
}

async function readUntold(dataDir: string): Promise<FirstStart | undefined> {
  const text = await readFile(untoldIn(dataDir), "utf8").catch(() => "");
  const field = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(text)?.[1];
  const [email, apiKey, channel] = [field("email"), field("key"), field("channel")];
  if (email === undefined || apiKey === undefined || channel === undefined) return undefined;
  return { email, password: field("password"), apiKey, channel, zuliprc: zuliprcIn(dataDir) };
}

/** A start has come to its end, so that whoever began it has seen what it said. */
export async function noteTold(dataDir: string): Promise<void> {
  try {
    await rename(untoldIn(dataDir), passwordIn(dataDir));
    await syncFolder(dataDir);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

/**
 * For whoever starts the server. What is no terminal, a journal say, is kept and read by others: secrets stay in their
 * file.
 */
export function tellFirstStart(address: string, dataDir: string, first: FirstStart, isTerminal: boolean): string {
  const { email, password, apiKey, zuliprc, channel } = first;
  const chosen = "the one of PARLEY_OWNER_PASSWORD";
  if (!isTerminal)
    return `
Your organization is ready, and you own it.

  URL       ${address}
  Email     ${email}
  Password  ${password === undefined ? chosen : `in ${passwordIn(dataDir)}`}
  API key   in ${passwordIn(dataDir)}

Only you can read that file, and ${zuliprc}, which the Zulip clients read.
`;
  return `
Your organization is ready, and you own it. This is shown once:

  URL       ${address}
  Email     ${email}
  Password  ${password ?? chosen}
  API key   ${apiKey}

The same is in ${passwordIn(dataDir)}, which only you can read, and in ${zuliprc}, which the Zulip clients read. Say hello:

  curl -sS -u '${email}:${apiKey}' ${address}/api/v1/messages -d type=channel -d 'to=${channel}' -d topic=hello -d 'content=Hello, Parley!'
`;
}
