/**
 * A body that is read while it goes out. Of a client that does not read, one piece is in memory, whatever the body's
 * size.
 */
import type { HttpResponse } from "./builds/uws-interface.ts";

/** Bytes of a body: how many there are, and some of them from an offset on. */
export interface ByteSource {
  size: number;
  /** Fills `into` from `offset` on. Returns how many bytes it got, at least one. @throws Error when there are none */
  read(offset: number, into: Uint8Array): Promise<number>;
}

/** Large enough that reading costs little beside sending, small enough for thousands of clients that do not read. */
const pieceBytes = 128 * 1024;

/**
 * Sends a body as fast as the client takes it. Status and headers are written by `begin`, before the first byte.
 * Resolves when all is sent or the client has gone. What cannot be read later on ends the connection, since its length
 * was promised.
 */
export async function sendSource(
  res: HttpResponse,
  { size, read }: ByteSource,
  begin: () => void,
  isGone: () => boolean,
  onGone: (gone: () => void) => void,
): Promise<void> {
  // One for all pieces: as garbage they would be collected in the middle of others' requests.
  const room = new Uint8Array(Math.min(pieceBytes, size));
  let piece = room;
  /** Bytes of the body before the piece. */
  let sent = 0;
  let resume: (() => void) | undefined;
  onGone(() => resume?.());
  /** Sends what the socket takes of the piece. Returns whether it is to go on at once. */
  const push = (): boolean => {
    const [isTaken, isDone] = res.tryEnd(piece.subarray(res.getWriteOffset() - sent), size);
    return isDone || isTaken;
  };
  for (let isFirst = true; sent < size; isFirst = false) {
    try {
      const count = await read(sent, room.subarray(0, size - sent));
      if (count === 0) throw new Error("the file is shorter than it was");
      piece = room.subarray(0, count);
    } catch (error) {
      if (isFirst) throw error;
      if (!isGone()) res.close();
      return;
    }
    if (isGone()) return;
    const end = sent + piece.length;
    let goesOn = true;
    res.cork(() => {
      if (isFirst) {
        begin();
        res.onWritable(() => {
          if (isGone()) return true;
          // After the last byte of a piece there may be nothing to send yet.
          const isWaiting = res.getWriteOffset() < sent + piece.length;
          const isOpen = isWaiting ? push() : true;
          if (isOpen) resume?.();
          return isOpen;
        });
      }
      goesOn = push();
    });
    if (!goesOn) await new Promise<void>((resolve) => (resume = resolve));
    resume = undefined;
    if (isGone()) return;
    sent = end;
  }
}
