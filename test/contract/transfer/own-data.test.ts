/** What one person wrote and keeps, in a file for them. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exportUser } from "../../../http/process/export.ts";
import { openArchive } from "../../../storage/transfer/archive.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ nodeCount: 1 });
const [ada, bob] = server.people("Ada", "Bob");
const plans = server.channel("plans", [ada, bob]);

it("has what they wrote and keep, and nothing that others wrote", async () => {
  await ada.say(plans, "by Ada");
  await bob.say(plans, "by Bob");
  await ada.say([bob], "from Ada to Bob");
  await bob.say([ada], "from Bob to Ada");
  const file = { filename: "list.txt", content: "figs" };
  const { url } = expectSuccess(await ada.client.post("/user_uploads", {}, { files: { file } }));
  expectSuccess(
    await ada.client.post("/drafts", {
      drafts: [{ type: "", to: [], topic: "", content: "half a thought", timestamp: 1_700_000_000 }],
    }),
  );
  expectSuccess(await bob.client.post("/users/me/alert_words", { alert_words: ["quince"] }));
  expectSuccess(await ada.client.post("/users/me/alert_words", { alert_words: ["fig"] }));

  const { config, system } = server.server.app;
  const { database } = system.environment;
  const storage = { database, url: "", dataDir: config.dataDir, close: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), "parley-own-"));
  try {
    const path = join(folder, "ada.tar.gz");
    await exportUser(storage, config, { file: path, email: ada.email });
    // What is there stays.
    await expect(exportUser(storage, config, { file: path, email: ada.email })).rejects.toThrow("is there already");
    const archive = await openArchive(path);
    try {
      const text = await readFile(join(archive.folder, "data.json"), "utf8");
      const data = JSON.parse(text) as Record<string, JsonObject[]>;
      expect(data["messages"]!.map((row) => [row["content"], row["channel"], row["people"]])).toEqual([
        ["by Ada", "plans", null],
        ["from Ada to Bob", null, ["Ada", "Bob"]],
      ]);
      expect(data["account"]).toMatchObject([{ email: ada.email, alert_words: ["fig"] }]);
      expect(data["drafts"]).toMatchObject([{ content: "half a thought" }]);
      expect(text).not.toMatch(/by Bob|from Bob|quince/);
      const upload = join(archive.folder, (url as string).replace("/user_uploads/", "uploads/"));
      expect(await readFile(upload, "utf8")).toBe("figs");
    } finally {
      await archive.close();
    }
    expect(existsSync(`${path}.folder`)).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
