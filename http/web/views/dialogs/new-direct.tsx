/** Chooses the recipients of a direct message. */
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { t } from "../../texts.ts";
import { narrowOf } from "../../wire/narrow.ts";
import { Dialog } from "../frame/layers.tsx";
import { Avatar } from "../parts/avatar.tsx";
import { Form } from "../parts/form.tsx";
import { Icon } from "../parts/icons.tsx";

const shown = 50;

export function NewDirect() {
  const app = useApp();
  const text = useSignal("");
  const chosen = useSignal<readonly number[]>([]);
  const input = useRef<HTMLInputElement>(null);
  const found = app.people.search(text.value, shown, ({ user_id }) => !chosen.value.includes(user_id));
  const add = (userId: number) => {
    chosen.value = [...chosen.value, userId];
    text.value = "";
    input.current?.focus();
  };
  const go = () => {
    if (chosen.value.length === 0) return;
    app.ui.closeDialog();
    app.route.open(narrowOf({ kind: "direct", userIds: chosen.value }));
    app.compose.focus();
  };
  return (
    <Dialog title={t.newDirect}>
      <Form
        submit={() => {
          if (text.value.trim() !== "" && found[0]) add(found[0].user_id);
          else go();
        }}
      >
        <div class="chips">
          {chosen.value.map((id) => (
            <Chip
              key={id}
              name={app.people.name(id)}
              remove={() => (chosen.value = chosen.value.filter((one) => one !== id))}
            />
          ))}
          <input
            ref={input}
            data-first-focus
            aria-label={t.addPeople}
            placeholder={t.addPeople}
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </div>
        <ul class="plain-list short">
          {found.map((user) => (
            <li key={user.user_id}>
              <button type="button" class="person-line" onClick={() => add(user.user_id)}>
                <Avatar user={user} size={24} /> <bdi>{user.full_name}</bdi>
              </button>
            </li>
          ))}
        </ul>
        <footer>
          <button type="submit" class="button" disabled={chosen.value.length === 0 && text.value.trim() === ""}>
            {text.value.trim() === "" ? t.go : t.add}
          </button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Chip({ name, remove }: { name: string; remove(): void }) {
  return (
    <span class="chip">
      <bdi>{name}</bdi>
      <button type="button" aria-label={`${t.remove}: ${name}`} onClick={remove}>
        <Icon name="close" size={12} />
      </button>
    </span>
  );
}
