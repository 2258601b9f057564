/** An authenticator without a browser: it makes passkeys of ES256, and says what each test wants it to. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

type Options = Record<string, unknown>;

/** What a test may have it say otherwise than the truth. */
export interface Told {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  /** User present 1, verified 4. */
  flags?: number;
  count?: number;
  userHandle?: string | undefined;
  /** Signs with another key. */
  isForged?: boolean;
}

const base64url = (bytes: Buffer | string): string => Buffer.from(bytes).toString("base64url");
const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

export class Authenticator {
  readonly #keys: { privateKey: KeyObject; publicKey: KeyObject } = newKey();
  readonly id = randomBytes(32);
  #handle = "";
  count = 0;

  constructor(readonly origin: string) {}

  #clientData(type: string, challenge: unknown, told: Told): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: told.type ?? type,
        challenge: told.challenge ?? challenge,
        origin: told.origin ?? this.origin,
        crossOrigin: false,
      }),
    );
  }

  #data(rpId: string, flags: number, told: Told): Buffer {
    const count = uint32(told.count ?? this.count);
    return Buffer.concat([sha256(told.rpId ?? rpId), Buffer.from([flags | (told.flags ?? 5)]), count]);
  }

  /** Makes its passkey. @param options as the server asks */
  make(options: Options, told: Told = {}): string {
    const rp = options["rp"] as { id: string };
    this.#handle = (options["user"] as { id: string }).id;
    const { x, y } = this.#keys.publicKey.export({ format: "jwk" });
    // A map of five: EC2, ES256, P-256, and the two coordinates of 32 bytes.
    const coordinate = (name: number, value: string) =>
      Buffer.concat([Buffer.from([name, 0x58, 32]), Buffer.from(value, "base64url")]);
    const cose = Buffer.concat([
      Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]),
      coordinate(0x21, x!),
      coordinate(0x22, y!),
    ]);
    const authData = Buffer.concat([
      this.#data(rp.id, 0x40, told),
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      cose,
    ]);
    const named = (text: string) => Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3]),
      named("fmt"),
      named("none"),
      named("attStmt"),
      Buffer.from([0xa0]),
      named("authData"),
      Buffer.from([0x58, authData.length]),
      authData,
    ]);
    const clientDataJSON = this.#clientData("webauthn.create", options["challenge"], told);
    return this.#said({
      clientDataJSON: base64url(clientDataJSON),
      attestationObject: base64url(attestationObject),
      transports: ["internal", "hybrid"],
    });
  }

  /** Shows its passkey. */
  show(options: Options, told: Told = {}): string {
    const clientData = this.#clientData("webauthn.get", options["challenge"], told);
    const data = this.#data(String(options["rpId"]), 0, told);
    const key = told.isForged ? newKey().privateKey : this.#keys.privateKey;
    const userHandle = "userHandle" in told ? told.userHandle : this.#handle;
    return this.#said({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(data),
      signature: base64url(sign("sha256", Buffer.concat([data, sha256(clientData)]), key)),
      ...(userHandle !== undefined && { userHandle }),
    });
  }

  #said(response: object): string {
    const id = base64url(this.id);
    return JSON.stringify({ id, rawId: id, type: "public-key", response, clientExtensionResults: {} });
  }
}
