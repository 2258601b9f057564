/** A body that is read as a whole, into memory. */
import type { BodyShare } from "./body-budget.ts";
import type { HttpResponse } from "./builds/uws-interface.ts";
import { BodyTooLarge, ClientGone } from "./unread-body.ts";

/**
 * Reads it as far as its share allows. Must be called before the first await.
 *
 * @throws BodyTooLarge, ClientGone, or what the share says
 */
export function readWholeBody(
  res: HttpResponse,
  onGone: (gone: () => void) => void,
  maxBytes: number,
  share: BodyShare | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let size = 0;
    let chunks: Buffer[] = [];
    let refusal: unknown;
    onGone(() => reject(new ClientGone()));
    res.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (size > maxBytes) {
        chunks = [];
        share?.release();
        reject(new BodyTooLarge(maxBytes));
        return;
      }
      try {
        if (refusal === undefined) share?.take(chunk.byteLength);
      } catch (error) {
        refusal = error;
        chunks = [];
        share?.release();
      }
      if (refusal !== undefined) {
        // Many clients read no answer before they have sent everything.
        if (isLast) reject(refusal);
        return;
      }
      // The bytes are valid only now: copy them.
      if (chunk.byteLength > 0) chunks.push(Buffer.from(Buffer.from(chunk)));
      if (isLast) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
  });
}
