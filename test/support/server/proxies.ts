/** The nginx, HAProxy and Caddy of docs/, as it tells people to set them up, in front of servers in this process. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { RawConnection } from "../../../bench/builds/raw-http.ts";
import { until } from "../time/until.ts";

export type ProxyName = "nginx" | "haproxy" | "caddyfile";

/** Caddy is called so where it is configured. */
const programOf = (name: ProxyName): string => (name === "caddyfile" ? "caddy" : name);

export const isInstalled = (name: ProxyName): boolean => spawnSync(programOf(name), ["-v"]).error === undefined;

export interface FrontProxy {
  /** Status and text of a request for a path. */
  get(path: string): Promise<{ status: number; text: string }>;
  /** A connection to the proxy's TLS port. */
  open(): RawConnection;
  stop(): Promise<void>;
}

const certificate = new URL("localhost.pem", import.meta.url);

/** Starts one in front of the servers on these ports. Resolves when it serves. */
export async function startProxy(name: ProxyName, ports: readonly [number, number]): Promise<FrontProxy> {
  const folder = await mkdtemp(join(tmpdir(), "parley-proxy-"));
  const pem = join(folder, "chat.pem");
  await copyFile(certificate, pem);
  const port = await freePort();
  const page = name === "caddyfile" ? "one-machine" : "proxies-and-services";
  const text = await readFile(new URL(`../../../docs/${page}.md`, import.meta.url), "utf8");
  const block = new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, "s").exec(text)![1]!;
  // Addresses and files are this machine's, all else is as the page says.
  const config = block
    .replace("chat.example.com {", `:${port} {\n\ttls ${pem} ${pem}`)
    .replaceAll(/(?:10\.0\.0\.1|127\.0\.0\.1):9991/g, `127.0.0.1:${ports[0]}`)
    .replaceAll("10.0.0.2:9991", `127.0.0.1:${ports[1]}`)
    .replace(/\S*\/chat\.(?:pem|key)/g, pem)
    .replace("listen 443", `listen 127.0.0.1:${port}`)
    .replace("bind :443", `bind 127.0.0.1:${port}`);
  const file = join(folder, "proxy.conf");
  const around = { nginx: aroundNginx, haproxy: (given: string) => given, caddyfile: aroundCaddy };
  await writeFile(file, around[name](config, folder));
  const child = run(name, folder, file);
  let complaints = "";
  child.stderr!.on("data", (text) => {
    complaints += text;
  });
  const ca = await readFile(certificate, "utf8");
  const proxy: FrontProxy = {
    get: (path) => get(port, ca, path),
    open: () => RawConnection.open(port, connectTls({ port, host: "127.0.0.1", servername: "localhost", ca })),
    async stop() {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
  // HAProxy refuses with 503 until its first check has passed.
  while (
    !(await proxy.get("/health").then(
      ({ status }) => status === 200,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${complaints}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return proxy;
}

/** An nginx without TLS that passes requests on to `port` and says nothing of where they came from. */
export async function startBareNginx(port: number, more = ""): Promise<{ port: number; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "parley-proxy-"));
  const own = await freePort();
  const file = join(folder, "proxy.conf");
  // Not every build serves HTTP/1.0, which nginx speaks unless told.
  const location = `location / { proxy_http_version 1.1; proxy_pass http://127.0.0.1:${port}; ${more} }`;
  await writeFile(file, aroundNginx(`server { listen 127.0.0.1:${own}; ${location} }\n`, folder));
  const child = run("nginx", folder, file);
  child.stderr!.resume();
  await until("nginx to serve", () =>
    fetch(`http://127.0.0.1:${own}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const stop = async () => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  return { port: own, stop };
}

function run(name: ProxyName, folder: string, file: string): ChildProcess {
  const words = {
    nginx: ["-p", folder, "-c", file, "-e", "stderr"],
    haproxy: ["-db", "-f", file],
    caddyfile: ["run", "--adapter", "caddyfile", "--config", file],
  };
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return spawn(programOf(name), words[name], { env, stdio: ["ignore", "ignore", "pipe"] });
}

/** No ports but the one: neither its own API's, nor the one that leads people to TLS. */
function aroundCaddy(config: string): string {
  return `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${config}`;
}

function aroundNginx(config: string, folder: string): string {
  const isRoot = process.getuid?.() === 0;
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `${isRoot ? "user root;\n" : ""}daemon off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${paths.join("\n  ")}
${config}}
`;
}

function get(port: number, ca: string, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: "127.0.0.1", servername: "localhost", ca, path, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode!, text }));
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end();
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}
