/** Tokens that another service signed, and that are good once. */
import { createHash } from "node:crypto";
import { translate } from "../../storage/postgres.ts";
import { spendToken as spendStored } from "../../storage/users/spent-tokens.ts";
import type { RealmReader } from "../realm/reader.ts";

/** For so long a used token is known that nothing ends: ten years. */
const longestSecs = 315_360_000;

/**
 * Uses a token up. Returns whether nobody has used it before, on any node.
 *
 * @param name what its signer calls it (`jti`)
 * @param expiresAt when it is refused for its age; UNIX seconds
 */
export async function spendToken(realm: RealmReader, name: string, expiresAt: number): Promise<boolean> {
  const expires_at = Math.ceil(Math.min(expiresAt, realm.environment.clock() + longestSecs));
  const token_hash = createHash("sha256").update(name).digest();
  try {
    return await spendStored(realm.database.sql, { realm_id: realm.id, token_hash, expires_at });
  } catch (error) {
    throw translate(error);
  }
}
