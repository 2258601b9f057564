/** Apple and Google on loopback, and a `parley push-relay` that asks them, for a server that asks the relay. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type RunningRelay, startPushRelay } from "../../../http/process/push/relay.ts";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import type { JsonObject } from "../client/api.ts";
import { type TestServer, testServer } from "../server/server.ts";
import { TestApple } from "./apple.ts";
import { TestGoogle } from "./google.ts";

const pem = readFileSync(new URL("../server/localhost.pem", import.meta.url), "utf8");
const certificate = /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/.exec(pem)![0];

/** The relay takes this server, and those below `chat.test`. */
export class TestStores {
  readonly apple = new TestApple(pem);
  readonly google = new TestGoogle();
  readonly server: TestServer;
  #port = 0;
  #folder = "";
  #relay: RunningRelay | undefined;

  /** For the tests of a file. */
  constructor() {
    beforeAll(async () => {
      [this.#port, this.#folder] = await Promise.all([
        freePort(),
        mkdtemp(join(tmpdir(), "parley-relay-")),
        this.apple.start(),
        this.google.start(),
      ]);
    });
    this.server = testServer({ environment: () => ({ PARLEY_PUSH_SERVICE_URL: this.url }) });
    beforeAll(() => this.#startRelay());
    afterAll(async () => {
      await this.#relay?.stop();
      const folder = rm(this.#folder, { recursive: true, force: true });
      await Promise.all([this.apple.stop(), this.google.stop(), folder]);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** To which devices seal their tokens. */
  get publicKey(): string {
    return this.#relay!.publicKey;
  }

  /** @param by id and key of a server */
  async ask(
    endpoint: string,
    form: Record<string, string>,
    by?: string,
  ): Promise<{ status: number; body: JsonObject }> {
    const response = await fetch(`${this.url}/api/v1/remotes/${endpoint}`, {
      method: "POST",
      body: new URLSearchParams(form),
      ...(by !== undefined && { headers: { authorization: `Basic ${Buffer.from(by).toString("base64")}` } }),
    });
    return { status: response.status, body: (await response.json()) as JsonObject };
  }

  async #startRelay(): Promise<void> {
    const { apple, google } = this;
    const [apnsKeyFile, fcmFile] = [join(this.#folder, "key.p8"), join(this.#folder, "account.json")];
    await Promise.all([writeFile(apnsKeyFile, apple.key), writeFile(fcmFile, google.credentials)]);
    const { log, config } = this.server.server.app;
    const pushRelay = {
      hosts: `${new URL(config.externalUrl).host}, *.chat.test`,
      apnsKeyFile,
      apnsKeyId: apple.keyId,
      apnsTeamId: apple.teamId,
      apnsUrl: apple.url,
      fcmFile,
      fcmUrl: google.url,
    };
    const settings = { pushRelay, host: "127.0.0.1", port: this.#port };
    this.#relay = await startPushRelay({ database: this.server.database }, settings, log, certificate);
  }
}
