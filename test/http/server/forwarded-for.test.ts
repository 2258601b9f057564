/**
 * Whose request it is, behind proxies. The real nginx and HAProxy run what docs/ shows, but for addresses, ports and
 * certificates. A client tries to pass for others with a `X-Forwarded-For` of its own.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientAddress } from "../../../http/server/addresses.ts";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

describe("the address of a client", () => {
  it.each([
    ["no header", "", 1, "10.0.0.1"],
    ["one proxy: what it says", "203.0.113.7", 1, "203.0.113.7"],
    ["one proxy: the last, whatever the client said before it", "1.1.1.1, 203.0.113.7", 1, "203.0.113.7"],
    ["two proxies: the one before the last", "1.1.1.1,203.0.113.7 , 10.0.0.9", 2, "203.0.113.7"],
    ["fewer hops than proxies: the first", "203.0.113.7", 3, "203.0.113.7"],
    ["a port", "203.0.113.7:4711", 1, "203.0.113.7"],
    ["IPv6", "2001:DB8:0:0::1", 1, "2001:db8::1"],
    ["IPv6 in brackets", "[2001:db8::1]", 1, "2001:db8::1"],
    ["IPv6 with a port", "[2001:db8::1]:4711", 1, "2001:db8::1"],
    ["IPv6 with a zone", "fe80::1%eth0", 1, "fe80::1"],
    ["IPv4 as IPv6", "::ffff:203.0.113.7", 1, "203.0.113.7"],
    ["quotes", '"203.0.113.7"', 1, "10.0.0.1"],
    ["what is no address", "1.1.1.1, unknown", 1, "10.0.0.1"],
    ["nothing between commas", "1.1.1.1,,", 1, "10.0.0.1"],
    ["a megabyte", `${"9".repeat(1_000_000)}`, 1, "10.0.0.1"],
    ["no trusted proxy: what is said does not count", "1.1.1.1", 0, "10.0.0.1"],
  ])("%s", (_, forwardedFor, proxies, address) => {
    expect(clientAddress(forwardedFor, proxies, "10.0.0.1")).toBe(address);
  });

  it("of a socket that takes IPv4 and IPv6 is the same as of one that takes IPv4", () => {
    expect(clientAddress("", 0, "0000:0000:0000:0000:0000:ffff:7f00:0001")).toBe("127.0.0.1");
  });
});

/** Undefined: it is not installed. */
const find = (program: string): string | undefined =>
  [...process.env["PATH"]!.split(delimiter), "/usr/sbin", "/usr/local/sbin"]
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
const programs = { nginx: find("nginx"), haproxy: find("haproxy"), openssl: find("openssl") };

/** The only block of code of this language that the page about proxies has. */
async function snippet(language: string): Promise<string> {
  const page = await readFile(join(import.meta.dirname, "../../../docs/proxies-and-services.md"), "utf8");
  const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].filter((block) => block[1] === language);
  expect(blocks.length).toBe(1);
  return blocks[0]![2]!;
}

function replaced(text: string, changes: readonly (readonly [RegExp, string])[]): string {
  for (const [pattern] of changes) expect(text).toMatch(pattern);
  return changes.reduce((changed, [pattern, by]) => changed.replaceAll(pattern, by), text);
}

describe("behind the proxies of docs/", () => {
  let folder: string;
  let server: TestServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-proxies-"));
    server = await startTestServer({ PARLEY_RATE_LIMITS: "on", PARLEY_TRUSTED_PROXIES: "1" }, 1);
    if (!programs.openssl) return;
    const name = ["-subj", "/CN=chat.example.com", "-days", "1"];
    const files = ["-keyout", join(folder, "chat.key"), "-out", join(folder, "chat.crt")];
    execFileSync(programs.openssl, ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...name, ...files], {
      stdio: "ignore",
    });
    const parts = [await readFile(join(folder, "chat.crt")), await readFile(join(folder, "chat.key"))];
    await writeFile(join(folder, "chat.pem"), Buffer.concat(parts));
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The addresses that requests were counted for which came with others in the header. */
  async function addressesCounted(port: number): Promise<Set<string>> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (headers: Record<string, string | string[]>) =>
      new Promise<number>((resolve, reject) => {
        const options = { host: "127.0.0.1", port, path: "/api/v1/server_settings", rejectUnauthorized: false };
        const sent = request({ ...options, agent, headers }, (answer) => {
          answer.resume().on("end", () => resolve(answer.statusCode!));
        });
        sent.on("error", reject);
        sent.end();
      });
    await until("the proxy to answer", async () => {
      try {
        return (await ask({})) === 200;
      } catch {
        return false;
      }
    });
    const { rateLimiter } = server.server.app;
    const take = rateLimiter.takeShared.bind(rateLimiter);
    const keys = new Set<string>();
    rateLimiter.takeShared = (name, key) => {
      keys.add(typeof key === "object" ? key.address : String(key));
      return take(name, key);
    };
    for (let index = 0; index < 20; index++) {
      const forged = `10.1.0.${index}`;
      expect(await ask({ "X-Forwarded-For": index % 2 === 0 ? forged : [forged, `10.2.0.${index}, 10.3.0.1`] })).toBe(
        200,
      );
    }
    rateLimiter.takeShared = take;
    agent.destroy();
    return keys;
  }

  async function withProxy(program: string, args: string[], body: () => Promise<void>): Promise<void> {
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    const gone = once(child, "exit");
    try {
      await Promise.race([body(), gone.then(() => Promise.reject(new Error(`${program} ended: ${said}`)))]);
    } finally {
      if (child.exitCode === null) child.kill("SIGTERM");
      await gone;
    }
  }

  const lacks = (...names: (keyof typeof programs)[]): string => {
    const missing = names.filter((name) => !programs[name]);
    return missing.length > 0 ? ` (skipped: no ${missing.join(", no ")} here)` : "";
  };

  it.skipIf(lacks("haproxy", "openssl"))(
    `HAProxy: nobody passes for somebody else${lacks("haproxy", "openssl")}`,
    async () => {
      const port = await freePort();
      const file = join(folder, "haproxy.cfg");
      const config = replaced(await snippet("haproxy"), [
        [/:443 /g, `127.0.0.1:${port} `],
        [/\/etc\/haproxy/g, folder],
        [/10\.0\.0\.\d:9991/g, `127.0.0.1:${server.server.port}`],
      ]);
      await writeFile(file, config);
      await withProxy(programs.haproxy!, ["-db", "-f", file], async () => {
        expect(await addressesCounted(port)).toEqual(new Set(["127.0.0.1"]));
      });
    },
  );

  it.skipIf(lacks("nginx", "openssl"))(
    `nginx: nobody passes for somebody else${lacks("nginx", "openssl")}`,
    async () => {
      const port = await freePort();
      const file = join(folder, "nginx.conf");
      const inner = replaced(await snippet("nginx"), [
        [/listen 443 /g, `listen 127.0.0.1:${port} `],
        [/\/etc\/ssl\/chat\.pem/g, join(folder, "chat.crt")],
        [/\/etc\/ssl/g, folder],
        [/10\.0\.0\.\d:9991/g, `127.0.0.1:${server.server.port}`],
      ]);
      const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join(" ");
      const user = process.getuid?.() === 0 ? "user root;" : "";
      const outer = `${user} daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}`;
      await writeFile(file, `${outer} http { access_log off; ${temporary}\n${inner} }`);
      await withProxy(programs.nginx!, ["-c", file, "-p", folder], async () => {
        expect(await addressesCounted(port)).toEqual(new Set(["127.0.0.1"]));
      });
    },
  );
});
