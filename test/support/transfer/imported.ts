/** Imports small exports of other programs, and shows what came of them. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { importFromSlack } from "../../../http/process/transfer.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../client/api.ts";
import type { testServer } from "../server/server.ts";
import { until } from "../time/until.ts";

type Server = ReturnType<typeof testServer>;

/** Values that no column should have. */
export const hostile = [
  null,
  5,
  true,
  "\u0000\ud800<b>\u202e\r\n",
  "__proto__",
  [],
  [null],
  {},
  { id: 5, name: [] },
  1e300,
];

/** The row again and again, one column after the other hostile; ids stay their own. */
export function eachColumn(row: JsonObject, hostile: readonly unknown[]): JsonObject[] {
  return Object.keys(row).flatMap((column) => hostile.map((value) => ({ ...row, [column]: value })));
}

/** What a command of the command line is handed. */
export function importParts(server: Server) {
  const { config, system } = server.server.app;
  const { database } = system.environment;
  return { config, system, storage: { database, url: "", dataDir: config.dataDir, close: async () => {} } };
}

/** Writes files, by their names. */
export async function put(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text.startsWith("base64:") ? Buffer.from(text.slice(7), "base64") : text);
  }
}

/** The import, the files, and the host of the organization. */
export type ImportedArgs = [run: typeof importFromSlack, files: Readonly<Record<string, string>>, host: string];

/** Imports files as an organization, and says what was told of it. */
export async function importedInto(server: Server, ...[run, files, host]: ImportedArgs) {
  const { storage, config, system } = importParts(server);
  const folder = await mkdtemp(join(tmpdir(), "parley-other-"));
  await server.database.sql`delete from realms where host = ${host}`;
  try {
    await put(folder, files);
    const { data } = (await run(storage, config, { file: folder, host })) as { data: JsonObject };
    await until("it is served", async () => (await system.realmByHost(host)).id === data["realmId"]);
    const clientOf = async (email: string) => {
      const [row] = await server.database.sql<{ id: number }[]>`
        select id from users where realm_id = ${data["realmId"] as number} and delivery_email = ${email}`;
      return new ApiClient({
        url: server.url.replace("127.0.0.1", host),
        email,
        apiKey: await server.apiKeyOf(row!.id),
      });
    };
    return { data, clientOf };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function messagesOf(client: ApiClient, narrow: readonly JsonObject[] = []): Promise<JsonObject[]> {
  const params = { anchor: "newest", num_before: 1000, num_after: 0, narrow, apply_markdown: false };
  return expectSuccess(await client.get("/messages", params))["messages"] as JsonObject[];
}

/** Sender, place, topic and text. */
export function shown(message: JsonObject): unknown[] {
  const to = message["display_recipient"];
  const place = Array.isArray(to) ? (to as { full_name: string }[]).map((one) => one.full_name).sort() : to;
  return [message["sender_full_name"], place, message["subject"], message["content"]];
}
