/** Which answers may be compressed. */
import { Struct } from "superstruct";
import { type JsonSchema, type Shape, schemaOf } from "../../actors/shape.ts";

/** Fields that hold a secret: keys, tokens, links by which somebody joins, and ids of queues. */
const secretFields = /"(api_key|invite_link|link_url|queue_id|token)"/;

/**
 * Whether an answer may be compressed. Somebody who sees its length, and can put texts of their own into it, could
 * guess a secret beside them letter by letter. The fields that an endpoint declares decide. If it declares none, its
 * handler sets the secrets apart (`PiecesReply`), or the answer is not compressed.
 */
export function mayCompress(returns: Readonly<Record<string, Shape | JsonSchema>> | undefined): boolean {
  if (returns === undefined) return false;
  const schemas = Object.entries(returns).map(([name, shape]) => [
    name.replace(/\?$/, ""),
    shape instanceof Struct ? schemaOf(shape) : shape,
  ]);
  return !secretFields.test(JSON.stringify(schemas));
}
