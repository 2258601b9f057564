/**
 * A peer where it is installed: nginx with the nchan module (Debian: `libnginx-mod-nchan`), which answers long polls
 * and does nothing else. One worker process, messages in its memory, none on disk. A subscriber carries its place in
 * the headers `If-Modified-Since` and `If-None-Match`, as nchan has it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuOfTree } from "./cpu.ts";
import { freePort } from "./postgres.ts";
import type { Setup } from "./setup.ts";

const startMs = 10_000;
const maxConnections = 19_000;

export class Nchan {
  private constructor(
    private readonly process: ChildProcess,
    readonly port: number,
  ) {}

  /**
   * Starts it, or returns undefined where it is not installed or does not start: a peer is not what the bench is about.
   */
  static async start(setup: Setup): Promise<Nchan | undefined> {
    const installed = find();
    if (installed === undefined) return undefined;
    const port = await freePort();
    const prefix = join(setup.folder, "nginx");
    mkdirSync(prefix, { recursive: true });
    writeFileSync(join(prefix, "nginx.conf"), configuration(installed.module, port));
    const child = spawn(installed.nginx, ["-p", prefix, "-c", "nginx.conf", "-e", "error.log"], { stdio: "ignore" });
    setup.atEnd(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    });
    const givenUpAt = performance.now() + startMs;
    while (performance.now() < givenUpAt && child.exitCode === null) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      if (answer?.ok === true) return new Nchan(child, port);
      await sleep(20);
    }
    const log = join(prefix, "error.log");
    setup.log(`nginx with nchan did not start: ${existsSync(log) ? readFileSync(log, "utf8").slice(-300) : "no log"}`);
    return undefined;
  }

  cpuMicroseconds(): number {
    return cpuOfTree(this.process.pid!);
  }
}

/** nginx on the PATH, with the module where the packages put it beside it. */
function find(): { nginx: string; module: string } | undefined {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const nginx = join(folder, "nginx");
    const module = join(folder, "../lib/nginx/modules/ngx_nchan_module.so");
    if (existsSync(nginx) && existsSync(module)) return { nginx, module };
  }
  return undefined;
}

function configuration(module: string, port: number): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${name};`)
    .join(" ");
  return `
load_module ${module};
daemon off;
pid nginx.pid;
worker_processes 1;
worker_rlimit_nofile ${maxConnections + 500};
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections ${maxConnections}; }
http {
  access_log off;
  ${temporary}
  keepalive_timeout 600s;
  keepalive_requests 1000000000;
  nchan_shared_memory_size 256M;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /health { return 200 "ok"; }
    location = /publish { nchan_publisher; nchan_channel_id bench; nchan_message_buffer_length 10; client_body_buffer_size 64k; }
    location = /subscribe {
      nchan_subscriber longpoll; nchan_channel_id bench;
      nchan_subscriber_first_message newest; nchan_subscriber_timeout 0;
    }
  }
}
`;
}
