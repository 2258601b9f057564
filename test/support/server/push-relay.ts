/** A push notification relay on loopback that keeps what it is given, and phones that can read it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import sodium from "libsodium-wrappers";
import { expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import { until } from "../time/until.ts";

/** A request that was answered 2xx. */
interface Passed extends JsonObject {
  id: string;
}

export class TestRelay {
  /** What was taken, in order. */
  readonly taken: Passed[] = [];
  /** How many requests there were. */
  asked = 0;
  /** Asked of each request; undefined: it gets no answer. */
  answer: (body: JsonObject) => { status: number; body: JsonObject } | undefined = () => ({ status: 200, body: {} });
  readonly #server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      this.asked++;
      const body = JSON.parse(text) as Passed;
      const verdict = this.answer(body);
      if (!verdict) return;
      const { status, body: answer } = verdict;
      if (status < 300) this.taken.push(body);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
  });

  /** For `PARLEY_PUSH_RELAY_URL`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/notify`;
  }

  async start(): Promise<void> {
    await sodium.ready;
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Registers a phone that has a key, as its application would. */
  async phoneOf({ client }: Pick<Person, "client">): Promise<TestPhone> {
    const { device_id: id } = expectSuccess(await client.post("/register_client_device")) as { device_id: number };
    const key = sodium.crypto_secretbox_keygen();
    expectSuccess(
      await client.post("/mobile_push/register", {
        device_id: id,
        push_key_id: id,
        push_key: Buffer.concat([Buffer.from([0x31]), key]).toString("base64"),
        token_kind: "fcm",
        token_id: `token ${id}`,
        bouncer_public_key: "relay's key",
        encrypted_push_registration: `sealed token ${id}`,
      }),
    );
    return new TestPhone(this, id, key);
  }
}

interface Sealed {
  device_id: number;
  payload: string;
}

export class TestPhone {
  constructor(
    private readonly relay: TestRelay,
    readonly id: number,
    private readonly key: Uint8Array,
  ) {}

  /** What it was given so far, unsealed, with what the relay saw of each. */
  got(): { says: JsonObject; sees: JsonObject }[] {
    return this.relay.taken.flatMap((sees) =>
      ((sees["devices"] ?? []) as Sealed[])
        .filter(({ device_id }) => device_id === this.id)
        .map(({ payload }) => ({ says: this.#unseal(payload), sees })),
    );
  }

  /** Waits for so many. */
  async get(count: number): Promise<{ says: JsonObject; sees: JsonObject }[]> {
    await until(`${count} notifications`, () => this.got().length >= count, 120_000);
    return this.got();
  }

  #unseal(payload: string): JsonObject {
    const bytes = Buffer.from(payload, "base64");
    const text = sodium.crypto_secretbox_open_easy(bytes.subarray(24), bytes.subarray(0, 24), this.key);
    return JSON.parse(Buffer.from(text).toString()) as JsonObject;
  }
}
