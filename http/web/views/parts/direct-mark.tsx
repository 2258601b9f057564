/** Whose direct messages these are: a face and whether the person is here, or a sign for several people. */
import { useApp } from "../../model/app.ts";
import { Avatar } from "./avatar.tsx";
import { Icon } from "./icons.tsx";
import { PresenceDot } from "./presence.tsx";

const size = 24;

/** @param userIds the others; nobody for notes to oneself */
export function DirectMark({ userIds }: { userIds: readonly number[] }) {
  const app = useApp();
  if (userIds.length > 1)
    return (
      <span class="direct-mark">
        <Icon name="people" size={18} />
      </span>
    );
  const user = app.people.get(userIds[0] ?? app.me);
  return (
    <span class="direct-mark avatar-with-dot">
      <Avatar user={user} size={size} />
      <PresenceDot user={user} />
    </span>
  );
}
