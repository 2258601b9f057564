/** A phone of a store's app that has a key: it registers as the app does, and reads what it is sent. */
import { randomBytes } from "node:crypto";
import sodium from "libsodium-wrappers";
import { type ApiResponse, expectSuccess, type JsonObject } from "../client/api.ts";
import type { Person } from "../people/person.ts";
import { type TestBouncer, tokenIdOf } from "./bouncer.ts";

/** The look-alike of Zulip's service, or another to whose key tokens are sealed. */
type Service = { readonly publicKey: string } & Partial<Pick<TestBouncer, "at">>;

export class StorePhone {
  readonly key = sodium.crypto_secretbox_keygen();
  token = "";

  private constructor(
    private readonly service: Service,
    private readonly person: Pick<Person, "client">,
    readonly id: number,
    readonly kind: "fcm" | "apns",
  ) {
    this.changeToken();
  }

  static async of(service: Service, person: Pick<Person, "client">, kind: "fcm" | "apns"): Promise<StorePhone> {
    const { device_id } = expectSuccess(await person.client.post("/register_client_device"));
    return new StorePhone(service, person, device_id as number, kind);
  }

  /** As Google and Apple give it another one now and then. */
  changeToken(): void {
    this.token = randomBytes(16).toString("hex");
  }

  get tokenId(): string {
    return tokenIdOf(this.token);
  }

  /** Parameters of `POST /mobile_push/register`. */
  parameters(timestamp = Math.floor(Date.now() / 1000)): JsonObject {
    const { token, kind } = this;
    const ios_app_id = kind === "apns" ? "org.zulip.Zulip" : null;
    return {
      device_id: this.id,
      push_key_id: this.id,
      push_key: Buffer.concat([Buffer.from([0x31]), this.key]).toString("base64"),
      token_kind: kind,
      token_id: this.tokenId,
      bouncer_public_key: this.service.publicKey,
      encrypted_push_registration: this.#seal({ token, token_kind: kind, ios_app_id, timestamp }),
    };
  }

  register(changes: JsonObject = {}): Promise<ApiResponse> {
    return this.person.client.post("/mobile_push/register", { ...this.parameters(), ...changes });
  }

  /** What the service was given for its token so far: what it reads, and what the service saw. */
  got(): { says: JsonObject; sees: JsonObject }[] {
    return this.service.at!("push/e2ee/notify")
      .flatMap(({ push_requests }) => push_requests as JsonObject[])
      .filter(({ token_id }) => token_id === this.tokenId)
      .map((sees) => ({ sees, says: this.unseal((sees["payload"] as JsonObject)["encrypted_data"] as string) }));
  }

  /** The server passes it on, and cannot read it. */
  #seal(registration: object): string {
    const key = Buffer.from(this.service.publicKey, "base64");
    return Buffer.from(sodium.crypto_box_seal(JSON.stringify(registration), key)).toString("base64");
  }

  unseal(text: string): JsonObject {
    const bytes = Buffer.from(text, "base64");
    const opened = sodium.crypto_secretbox_open_easy(bytes.subarray(24), bytes.subarray(0, 24), this.key);
    return JSON.parse(Buffer.from(opened).toString()) as JsonObject;
  }
}
