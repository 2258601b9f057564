/** The button by which people choose a picture of themselves. */
import { useApp } from "../../model/app.ts";

export function ChooseAvatar({ label, look = "" }: { label: string; look?: string }) {
  const app = useApp();
  return (
    <label class={`button small ${look}`}>
      {label}
      <input
        type="file"
        accept="image/*"
        class="visually-hidden"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) void app.actions.upload("/users/me/avatar", file);
        }}
      />
    </label>
  );
}
