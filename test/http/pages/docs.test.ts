/** A server shows the pages of `docs/`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const names = readdirSync(join(import.meta.dirname, "../../../docs")).map((name) => name.replace(/\.md$/, ""));
const addressOf = (name: string) => `${server.url}/docs/${name === "index" ? "" : name}`;
const headingOf = (name: string) =>
  /^# (.*)/.exec(readFileSync(join(import.meta.dirname, `../../../docs/${name}.md`), "utf8"))![1]!;

describe("/docs/", () => {
  it.each(names)("%s is shown to anybody, and its links lead somewhere", async (name) => {
    const answer = await fetch(addressOf(name));
    const html = await answer.text();
    expect(answer.status).toBe(200);
    expect(html).toContain(`<h1>${headingOf(name)}</h1>`);
    expect(html).not.toContain(" style=");
    const links = [...html.matchAll(/<a href="([^"]*)"/g)].map((match) => match[1]!);
    for (const link of links.filter((target) => !/^https:/.test(target))) {
      expect((await fetch(new URL(link, addressOf(name)))).status, link).toBe(200);
    }
  });

  it("the list names every page", async () => {
    const html = await (await fetch(addressOf("index"))).text();
    for (const name of names.filter((name) => name !== "index")) expect(html).toContain(`<a href="/docs/${name}">`);
  });

  it.each(["nothing", "..%2Findex", "index.html", "__proto__"])("there is no page %s", async (name) => {
    const answer = await fetch(addressOf(name));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ result: "error", msg: "There is no such page: see /docs/." });
  });
});
