/** Behind the nginx, HAProxy and Caddy of docs/, whichever build serves. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { httpBuilds, nativeBuild } from "../../support/server/http-builds.ts";
import { type FrontProxy, isInstalled, type ProxyName, startProxy } from "../../support/server/proxies.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

const isOldBuild = nativeBuild?.includes(" 20.30.") ?? false;
const proxies: ProxyName[] = ["nginx", "haproxy", "caddyfile"];

describe.each(httpBuilds)("%s", (flavour) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ PARLEY_HTTP_BUILD: flavour, PARLEY_TRUSTED_PROXIES: "1" });
  });
  afterAll(() => server.stop());

  describe.each(proxies.map((name) => [name, isInstalled(name) ? "" : " (skipped: it is not installed)"] as const))(
    "behind %s%s",
    (name, why) => {
      let proxy: FrontProxy;
      beforeAll(async () => {
        if (why === "") proxy = await startProxy(name, [server.server.port, server.server.port]);
      });
      afterAll(() => proxy?.stop());
      const test = it.skipIf(why !== "");

      const chunksOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n`;
      const login = (head: string, body: string) =>
        `POST /api/v1/fetch_api_key HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${head}\r\n${body}`;
      let count = 0;
      /** Each log-in under a name of its own: they are counted by name. */
      const newFields = () => `username=nobody${count++}@${name}.${flavour}.example&password=no`;

      test("the node is up, and answers", async () => {
        for (let count = 0; count < 5; count++) expect((await proxy.get("/health")).status).toBe(200);
        expect(JSON.parse((await proxy.get("/api/v1/server_settings")).text)).toMatchObject({ result: "success" });
      });

      it.skipIf(why !== "" || (name === "haproxy" && flavour === "native" && isOldBuild))(
        "a client of HTTP/1.0 is answered (not by 20.30 behind HAProxy, which passes its version on)",
        async () => {
          const connection = proxy.open();
          connection.send("GET /health HTTP/1.0\r\n\r\n");
          const [answer, ...others] = await connection.answersUntilClosed();
          // The newer native build knows no HTTP/1.0, and says so.
          expect(name === "haproxy" && flavour === "native" ? [505] : [200]).toContain(answer?.status);
          expect(others).toEqual([]);
        },
      );

      test("requests in one packet are answered in their order", async () => {
        const connection = proxy.open();
        const fields = newFields();
        const health = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n";
        connection.send(
          login(`Content-Length: ${fields.length}\r\n`, fields) + health + health.replace("health", "nowhere"),
        );
        const statuses = [];
        for (let count = 0; count < 3; count++) statuses.push((await connection.answer()).status);
        expect(statuses).toEqual([401, 200, 404]);
        connection.close();
      });

      test("a head of 5 kB that comes in two pieces, and a body in chunks, are answered", async () => {
        const connection = proxy.open();
        connection.send(`GET /health?q=${"q".repeat(3000)}`);
        await proxy.get("/health");
        connection.send(`${"q".repeat(2000)} HTTP/1.1\r\nHost: x\r\n\r\n`);
        expect((await connection.answer()).status).toBe(200);
        connection.send(login("Transfer-Encoding: chunked\r\n", `${chunksOf(newFields())}\r\n`));
        expect((await connection.answer()).status).toBe(401);
        connection.close();
      });

      test("whatever one client sends, others get their own answers", async () => {
        const fields = newFields();
        const chunks = chunksOf(fields);
        const smuggled = "GET /static/icon.svg HTTP/1.1\r\nHost: x\r\nX: ";
        const attacks = [
          login("Transfer-Encoding: chunked\r\n", `${chunks}${smuggled}\r\n\r\n`),
          login("Transfer-Encoding: chunked\r\n", `${chunks}Foo: bar\r\n\r\n`),
          login(`Content-Length: ${fields.length}\r\nContent-Length: 0\r\n`, fields + smuggled),
          login(`Content-Length: 0\r\nContent-Length: ${fields.length}\r\n`, fields + smuggled),
          login(`Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${smuggled}`),
          login("Transfer-Encoding: xchunked\r\n", `${chunks}\r\n${smuggled}`),
          `GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}${smuggled}\r\n\r\n`,
        ];
        for (const attack of attacks) {
          const attacker = proxy.open();
          attacker.send(attack);
          attacker.socket.end();
          await attacker.answersUntilClosed();
          for (let count = 0; count < 3; count++) {
            const { status, text } = await proxy.get("/api/v1/server_settings");
            expect([status, text.slice(0, 19)], attack).toEqual([200, '{"result":"success"']);
          }
        }
      });
    },
  );
});
