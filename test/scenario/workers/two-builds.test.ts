/** Nodes are upgraded one after the other: the page's files are in the old build or in the new one, never in both. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebFile } from "../../../http/pages/web-files.ts";
import { type FrontProxy, isInstalled, type ProxyName, startProxy } from "../../support/server/proxies.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

const proxies: ProxyName[] = ["nginx", "haproxy"];
const builds = ["index-older000.js", "index-newer000.js"];

describe.each(proxies)("behind %s", (name) => {
  const nodes: TestServer[] = [];
  let proxy: FrontProxy;

  beforeAll(async () => {
    for (const file of builds) nodes.push(await startNode(file));
    const [older, newer] = nodes.map(({ server }) => server.port);
    if (isInstalled(name)) proxy = await startProxy(name, [older!, newer!]);
  });
  afterAll(async () => {
    await proxy?.stop();
    await Promise.all(nodes.map((node) => node.stop()));
  });

  it.skipIf(!isInstalled(name))("a file of either page is found, whichever node is asked first", async () => {
    for (let count = 0; count < 20; count++)
      for (const file of builds)
        expect(await proxy.get(`/static/web/${file}`)).toEqual({ status: 200, text: `// ${file}` });
    expect((await proxy.get("/static/web/index-nobody00.js")).status).toBe(404);
    expect((await proxy.get("/health")).status).toBe(200);
  });
});

/** A node whose page has this file only. */
async function startNode(file: string): Promise<TestServer> {
  const node = await startTestServer();
  const script: WebFile = {
    type: "text/javascript; charset=utf-8",
    plain: Buffer.from(`// ${file}`),
    gzip: undefined,
    brotli: undefined,
  };
  Object.assign(node.server.app, { webFiles: new Map([[file, script]]) });
  return node;
}
