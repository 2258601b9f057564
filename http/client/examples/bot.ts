/** A bot that answers "ping" with "pong", once for each, however often the server or its connection dies. */
import { type Followed, ParleyClient } from "../index.ts";

export interface Account {
  url: string;
  email: string;
  apiKey: string;
}

/** Starts the bot. */
export function startBot(account: Account): Followed {
  const followed = new ParleyClient(account).followMessages(async ({ id, content, stream_id, subject }) => {
    if (content !== "ping" || stream_id === undefined) return;
    await followed.send({ type: "channel", to: stream_id, topic: subject, content: `pong ${id}` });
  });
  return followed;
}
