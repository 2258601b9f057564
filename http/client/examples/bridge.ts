/**
 * A bridge between a channel and a room of Matrix, by the client-server API that Matrix documents. Each side names what
 * it has stored: a send to Matrix is repeated under its transaction id, one to Parley under its local id. So a message
 * arrives once, whichever of the three dies. https://spec.matrix.org/latest/client-server-api/
 */
import { ParleyClient, persist } from "../index.ts";
import { ApiError } from "../request.ts";
import type { Account } from "./bot.ts";

interface Matrix {
  url: string;
  accessToken: string;
  roomId: string;
  userId: string;
}

export interface BridgeOptions {
  parley: Account;
  channelId: number;
  topic: string;
  matrix: Matrix;
}

interface RoomEvent {
  event_id: string;
  type: string;
  sender: string;
  content: { msgtype?: string; body?: string };
}

interface Sync {
  next_batch: string;
  rooms?: { join?: Record<string, { timeline: { events: RoomEvent[] } }> };
}

/** How long Matrix may hold a request for news, in milliseconds. */
const syncTimeoutMs = 30_000;

export function startBridge({ parley, channelId, topic, matrix }: BridgeOptions): {
  begun: Promise<void>;
  stop(): Promise<void>;
} {
  const stopped = new AbortController();
  const { signal } = stopped;
  const room = encodeURIComponent(matrix.roomId);

  const askMatrix = askerOf(matrix, signal);
  const client = new ParleyClient(parley);
  const me = client.call("GET /users/me", {});
  const followed = client.followMessages(async (message) => {
    const { id, stream_id, subject, sender_id, sender_full_name, content } = message;
    if (stream_id !== channelId || subject !== topic || sender_id === (await me).user_id) return;
    const body = { msgtype: "m.text", body: `${sender_full_name}: ${content}` };
    await askMatrix("PUT", `/rooms/${room}/send/m.room.message/parley-${id}`, body);
  });

  const fromMatrix = async () => {
    // The first answer says where the room is now. A bridge that outlives its process would store the place.
    let since = (await askMatrix<Sync>("GET", "/sync?timeout=0")).next_batch;
    while (!signal.aborted) {
      const query = `since=${encodeURIComponent(since)}&timeout=${syncTimeoutMs}`;
      const news = await askMatrix<Sync>("GET", `/sync?${query}`);
      for (const { type, sender, content } of news.rooms?.join?.[matrix.roomId]?.timeline.events ?? [])
        if (type === "m.room.message" && sender !== matrix.userId)
          await followed.send(
            { type: "channel", to: channelId, topic, content: `${sender}: ${content.body ?? ""}` },
            signal,
          );
      since = news.next_batch;
    }
  };
  const done = fromMatrix().catch((error: unknown) => {
    if (!signal.aborted) console.error("Matrix refuses the bridge", error);
  });
  return {
    begun: followed.begun,
    async stop() {
      stopped.abort();
      await followed.stop();
      await done;
    },
  };
}

/** Asks Matrix until it answers. @throws ApiError when it refuses */
function askerOf({ url, accessToken }: Matrix, signal: AbortSignal) {
  return <T>(method: string, path: string, body?: unknown): Promise<T> =>
    persist(
      async () => {
        const answer = await fetch(`${url}/_matrix/client/v3${path}`, {
          method,
          headers: { Authorization: `Bearer ${accessToken}` },
          signal,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }).catch(() => undefined);
        if (!answer) throw new ApiError("", "NETWORK", 0);
        if (!answer.ok)
          throw new ApiError(await answer.text(), answer.status === 429 ? "RATE_LIMIT_HIT" : "MATRIX", answer.status);
        return (await answer.json()) as T;
      },
      { signal },
    );
}
