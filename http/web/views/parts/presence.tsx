/** The presence and the status of a person. */
import { useApp } from "../../model/app.ts";
import { charactersOf } from "../../model/emoji.ts";
import type { UserRecord } from "../../state/state.ts";
import { t } from "../../texts.ts";

export function PresenceDot({ user }: { user: UserRecord | undefined }) {
  const availability = useApp().presence.of(user);
  if (availability === "bot") return <span class="presence bot" />;
  const label = availability === "active" ? t.activeNow : availability === "idle" ? t.idle : "";
  return <span class={`presence ${availability}`} {...(label && { role: "img", "aria-label": label })} />;
}

interface Status {
  status_text?: string;
  emoji_code?: string;
  reaction_type?: string;
}

function statusOf(state: Record<string, unknown>, userId: number): Status | undefined {
  return (state["user_status"] as Record<string, Status> | undefined)?.[userId];
}

export function StatusEmoji({ userId }: { userId: number }) {
  const status = statusOf(useApp().store.read("status"), userId);
  if (!status?.emoji_code || status.reaction_type !== "unicode_emoji") return null;
  return (
    <span class="status-emoji" title={status.status_text}>
      {charactersOf(status.emoji_code)}
    </span>
  );
}

export function StatusText({ userId }: { userId: number }) {
  const status = statusOf(useApp().store.read("status"), userId);
  if (!status?.status_text && !status?.emoji_code) return null;
  return (
    <p class="status-text">
      <StatusEmoji userId={userId} /> {status.status_text}
    </p>
  );
}
