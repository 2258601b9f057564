/**
 * A process that takes an organization's lead, writes one account and goes. `parley user create` does so where it
 * reaches no node, and did in versions before it knew of mail. It runs the built server.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { localCoordination } from "../../../actors/cluster/local.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { withRealm } from "../../../http/process/admin.ts";
import { readConfig } from "../../../http/process/config.ts";
import { connect } from "../../../storage/postgres.ts";
import { hashPassword } from "../../../storage/users/passwords.ts";
import { testSecret, testSecretKey } from "../server/template.ts";

export interface NewAccount {
  email: string;
  password: string;
}

/** Tells on its standard output when the account is stored, then waits for a line before it leaves in good order. */
const script = `
import { once } from "node:events";
const dist = new URL(process.argv[1]);
const load = (path) => import(new URL(path, dist));
const [{ withRealm }, { connect }, { readConfig }, { hashPassword }, { localCoordination }, { readSecretKey }] = await Promise.all(
  ["http/process/admin.js", "storage/postgres.js", "http/process/config.js", "storage/users/passwords.js",
    "actors/cluster/local.js", "storage/secret-key.js"].map(load));
const config = readConfig({ DATABASE_URL: process.argv[2], PARLEY_DATA_DIR: "/nonexistent", PARLEY_SECRET_KEY: "${testSecret}" });
const database = connect(config.databaseUrl, { maxConnections: 2, secretKey: await readSecretKey(config) });
const { email, password } = JSON.parse(process.argv[3]);
await withRealm({ database }, config, {}, async (realm) => {
  const passwordHash = await hashPassword(password);
  const { user_id } = await realm.execute("createUser", { actorId: undefined, email, fullName: "Newcomer", passwordHash, role: 400 });
  console.log(user_id);
  await once(process.stdin, "data");
}, async () => localCoordination());
await database.close();
process.exit();
`;

export type Ending = "leaves" | "is killed";

/** Has such a process add an account. @param ending how it goes after its commit @returns the account's id */
export async function writeBriefly(databaseUrl: string, account: NewAccount, ending: Ending): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      script,
      new URL("../../../dist/", import.meta.url).href,
      databaseUrl,
      JSON.stringify(account),
    ],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = once(child, "exit");
  const id = await firstLine(child);
  if (ending === "leaves") child.stdin!.end("\n");
  else child.kill("SIGKILL");
  await ended;
  return Number(id);
}

/** The same without a process, which is cheaper: one that is killed just does nothing more, and its connections end. */
export async function writeBrieflyHere(databaseUrl: string, account: NewAccount, ending: Ending): Promise<number> {
  const config = readConfig({ DATABASE_URL: databaseUrl, PARLEY_DATA_DIR: "/nonexistent" });
  const database = connect(databaseUrl, { maxConnections: 2, secretKey: testSecretKey });
  const { email, password } = account;
  const passwordHash = await hashPassword(password);
  try {
    return await new Promise<number>((resolve, reject) => {
      let id = 0;
      const write = async (realm: ServedRealm) => {
        const args = { actorId: undefined, email, fullName: "Newcomer", passwordHash, role: 400 };
        id = (await realm.execute("createUser", args)).user_id;
        if (ending === "is killed") await new Promise(() => resolve(id));
        return { text: "", data: {} };
      };
      const left = withRealm({ database }, config, {}, write, async () => localCoordination());
      left.then(() => resolve(id), reject);
    });
  } finally {
    await database.close();
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error("it ended before it had written anything");
}
