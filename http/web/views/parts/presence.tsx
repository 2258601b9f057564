/** The presence and the status of a person. */

import type { UserRecord } from "../../../client/state/state.ts";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";

export function PresenceDot({ user }: { user: UserRecord | undefined }) {
  const availability = useApp().presence.of(user);
  if (availability === "bot") return <span class="presence bot" />;
  const label = availability === "active" ? t.activeNow : availability === "idle" ? t.idle : "";
  return <span class={`presence ${availability}`} {...(label && { role: "img", "aria-label": label })} />;
}

export function StatusEmoji({ userId }: { userId: number }) {
  const app = useApp();
  const {
    emoji_name = "",
    emoji_code,
    reaction_type,
    status_text,
  } = app.store.read("status").user_status?.[userId] ?? {};
  if (!emoji_code || !reaction_type) return null;
  const { url, text } = app.emoji.of({ emoji_name, emoji_code, reaction_type });
  return (
    <span class="status-emoji" title={status_text}>
      {url ? <img class="emoji" src={url} alt={text} /> : text}
    </span>
  );
}

export function StatusText({ userId }: { userId: number }) {
  const status = useApp().store.read("status").user_status?.[userId];
  if (!status?.status_text && !status?.emoji_code) return null;
  return (
    <p class="status-text">
      <StatusEmoji userId={userId} /> <bdi>{status.status_text}</bdi>
    </p>
  );
}
