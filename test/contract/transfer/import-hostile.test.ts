/**
 * An archive in which every column of every table is hostile in turn comes in without what is not allowed, and says so.
 * It leaves an organization that works: nothing that is stored breaks a read, a send, a rendering or a page.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tablesRead } from "../../../actors/transfer/zulip/tables.ts";
import { exampleOf } from "../../../http/api/examples.ts";
import { routes } from "../../../http/api/routes.ts";
import { importFromZulip } from "../../../http/process/transfer.ts";
import { assertSafeHtml } from "../../actors/markdown/safe-html.ts";
import { ApiClient, type ApiResponse, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";
import { hostileValues, ownerEmail, realmTables, writeHostileArchive } from "../../support/transfer/hostile-archive.ts";

const server = testServer({ nodeCount: 1 });

it("has a row for each table that an import reads", () => {
  expect(Object.keys(realmTables)).toEqual(expect.arrayContaining(Object.keys(tablesRead)));
});

it.each(Object.keys(hostileValues).flatMap((what, index) => [[what, index % 3 === 0]]) as [string, boolean][])(
  "%s everywhere (ours: %s)",
  async (what, isOurs) => {
    const { client, leftOut } = await imported(what, isOurs);
    const said = Object.keys(leftOut).join("\n");
    expect(said).toContain("rows of zerver_realmfilter that are not allowed here");
    expect(said).toContain("js(?P<id>[0-9]+)");
    expect(said).toContain("rows of zerver_realmplayground that are not allowed here");
    if (what === "an object")
      for (const table of Object.keys(tablesRead).filter((name) => !untold.has(name)))
        expect(said, table).toMatch(new RegExp(`(rows of|values of) ${table}\\b`));
    expect(said).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\u202e]/);

    const failed: string[] = [];
    const ask = async (method: string, path: string, params: JsonObject = {}, root = false): Promise<ApiResponse> => {
      const answer = await client.request(method, path, params, { root });
      if (answer.status >= 500) failed.push(`${method} ${path}: ${answer.status}`);
      return answer;
    };
    const register = await ask("POST", "/register", {
      apply_markdown: true,
      include_subscribers: true,
      client_capabilities: { notification_settings_null: true, user_settings_object: true, archived_channels: true },
    });
    const state = expectSuccess(register) as JsonObject & { subscriptions: { stream_id: number }[]; user_id: number };
    expect(state.subscriptions.length).toBeGreaterThan(0);
    const all = { anchor: "newest", num_before: 1000, num_after: 0, apply_markdown: true };
    const [everything, own] = [await ask("GET", "/messages", all), await ask("GET", "/users/me")];
    const messages = expectSuccess(everything)["messages"] as { id: number; content: string }[];
    expect(messages.length).toBeGreaterThan(0);
    for (const { content } of messages) assertSafeHtml(content, { endsParagraphs: true });
    const ids: Record<string, number> = {
      message_id: messages[0]!.id,
      stream_id: state.subscriptions[0]!.stream_id,
      user_id: expectSuccess(own)["user_id"] as number,
    };
    for (const route of routes.filter(({ method, path }) => method === "GET" && !waits.has(path))) {
      const { path, fields } = exampleOf(route);
      const here = route.path.replace(/:(\w+)/g, (part, name: string) => String(ids[name] ?? part));
      const root = path.startsWith("^");
      for (const each of new Set([path, here])) await ask("GET", root ? each.slice(1) : each, { ...fields }, root);
    }
    for (const { stream_id } of state.subscriptions) {
      const sent = await ask("POST", "/messages", {
        type: "channel",
        to: stream_id,
        topic: "after it",
        content: "#7 :quince: @**Olga Owner** file:a/b js7 figs",
      });
      expectSuccess(sent);
    }
    expectSuccess(await ask("POST", "/messages/render", { content: "#7 file:a/b\n```python\n1\n```" }));
    expectSuccess(await ask("PATCH", "/settings", { color_scheme: 2, timezone: "europe/paris" }));
    expectSuccess(await ask("GET", "/messages", { ...all, narrow: [["search", "hello"]] }));
    expect((await ask("GET", "/", {}, true)).status).toBe(200);
    expect((await ask("GET", "/login/", {}, true)).status).toBe(200);
    expect(failed).toEqual([]);
    const raw = JSON.stringify(state);
    expect(raw).not.toMatch(/"(?:url_template|jitsi_server_url|base_url|url_pattern)":"javascript:/);
  },
);

/** They wait for something, or end with what they were asked for. */
const waits = new Set(["/events"]);
/** Rows that tell nothing but settings, or others' beginnings. */
const untold = new Set(["zerver_realm", "zerver_realmuserdefault", "parley_export", "zerver_realmauditlog"]);

let host = "";

async function imported(
  what: string,
  isOurs: boolean,
): Promise<{ client: ApiClient; leftOut: Readonly<Record<string, number>> }> {
  const { config, system } = server.server.app;
  const { database } = system.environment;
  if (host !== "") await database.sql`delete from realms where host = ${host}`;
  const folder = await mkdtemp(join(tmpdir(), "parley-hostile-"));
  try {
    await writeHostileArchive(folder, hostileValues[what], { isOurs });
    const storage = { database, url: "", dataDir: config.dataDir, close: async () => {} };
    host = "localhost";
    const { data } = (await importFromZulip(storage, config, { file: folder, host })) as {
      data: { realmId: number; owner: { email: string; apiKey: string }; left_out: Record<string, number> };
    };
    expect(data.owner.email).toBe(ownerEmail);
    await until("it is served", async () => (await system.realmByHost(host)).id === data.realmId);
    const url = server.url.replace("127.0.0.1", host);
    return { client: new ApiClient({ url, ...data.owner }), leftOut: data.left_out };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
