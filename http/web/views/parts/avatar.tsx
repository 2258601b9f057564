/** An avatar, or the initials on a colour of the person's own. */
import type { UserRecord } from "../../../client/state/state.ts";

const colors = 12;

function initials(name: string): string {
  const words = name
    .replace(/[^\p{L}\p{N}\s]/gu, "")
    .split(/\s+/)
    .filter(Boolean);
  const [first = "?", last] = [words[0], words.length > 1 ? words.at(-1) : undefined];
  return `${[...first][0] ?? "?"}${last ? [...last][0] : ""}`.toUpperCase();
}

export function Avatar({ user, name, size = 36 }: { user: UserRecord | undefined; name?: string; size?: number }) {
  const url = user?.avatar_url;
  // Only pictures of this server: nothing is loaded from other hosts.
  const isHere = typeof url === "string" && (url.startsWith("/") || url.startsWith(`${location.origin}/`));
  const box = { width: `${size}px`, height: `${size}px`, fontSize: `${Math.round(size * 0.38)}px` };
  // Another picture is another element: the one of before would stay until the next has come.
  if (isHere) return <img key={url} class="avatar" src={url} alt="" width={size} height={size} loading="lazy" />;
  return (
    <span
      class={`avatar color-${(user?.user_id ?? 0) % colors}`}
      style={box}
      data-initials={initials(user?.full_name ?? name ?? "?")}
    />
  );
}
