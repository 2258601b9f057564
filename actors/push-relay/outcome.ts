/** What Apple or Google said to one notification. */
export type SendOutcome =
  | "sent"
  /** The token is dead: the app is gone, or it has another. */
  | "gone"
  /** @property isPassing whether another attempt may succeed */
  | { reason: string; isPassing: boolean };

const attempts = 3;
const firstWaitMs = 250;

/** Tries again what failed for a moment. */
export async function withRetries(send: () => Promise<SendOutcome>): Promise<SendOutcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await send();
    if (typeof outcome === "string" || !outcome.isPassing || attempt === attempts) return outcome;
    await new Promise((resolve) => setTimeout(resolve, firstWaitMs * 4 ** (attempt - 1)));
  }
}
