/** Linkifiers, playgrounds and profile fields each count from one. */
import { expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { startTestServer } from "../../support/server/server.ts";

it("each kind has ids of its own", async () => {
  const server = await startTestServer();
  try {
    const { client } = server.owner;
    const url_template = "https://example.com/{code}";
    const add = [
      (n: number) =>
        client.post("/realm/filters", { pattern: `#${n}(?P<id>\\d+)`, url_template: "https://example.com/{id}" }),
      (n: number) => client.post("/realm/playgrounds", { name: `p${n}`, pygments_language: "python", url_template }),
      (n: number) => client.post("/realm/profile_fields", { name: `f${n}`, field_type: 1 }),
    ];
    for (const id of [1, 2]) for (const one of add) expect(expectSuccess(await one(id))["id"]).toBe(id);
    expectSuccess(await client.patch("/settings", { web_font_size_px: 11 }));
  } finally {
    await server.stop();
  }
});
