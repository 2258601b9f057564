/** Saved snippets: texts that a person writes often. One is put into the text, or the text is kept as another one. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import type { Writing } from "../../model/writing/writing.ts";
import { t } from "../../texts.ts";
import { Icon } from "../parts/icons.tsx";

interface Props {
  writing: Writing;
  choose(content: string): void;
}

export function Snippets({ writing, choose }: Props) {
  const app = useApp();
  const filter = useSignal("");
  const edited = useSignal<number | undefined>(undefined);
  const all = app.store.read("personal").saved_snippets ?? [];
  const wanted = filter.value.trim().toLowerCase();
  const shown = all
    .filter(({ title, content }) => `${title}\n${content}`.toLowerCase().includes(wanted))
    .sort((a, b) => a.title.localeCompare(b.title));
  return (
    <div class="snippets">
      <h2>{t.snippets}</h2>
      {all.length === 0 ? (
        <p class="soft">{t.noSnippets}</p>
      ) : (
        <input
          type="search"
          placeholder={t.search}
          aria-label={t.search}
          value={filter}
          onInput={(event) => (filter.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !shown[0]) return;
            event.preventDefault();
            choose(shown[0].content);
          }}
        />
      )}
      <ul>
        {shown.map(({ id, title, content }) => (
          <li key={id}>
            {edited.value === id ? (
              <Change id={id} title={title} content={content} end={() => (edited.value = undefined)} />
            ) : (
              <>
                <button type="button" class="snippet" onClick={() => choose(content)}>
                  <strong class="ellipsis" dir="auto">
                    {title}
                  </strong>
                  <bdi class="soft ellipsis">{content}</bdi>
                </button>
                <RowTool icon="draft" label={`${t.edit}: ${title}`} run={() => (edited.value = id)} />
                <RowTool
                  icon="trash"
                  label={`${t.remove}: ${title}`}
                  run={() => void app.actions.try("DELETE", `/saved_snippets/${id}`)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      <Save content={writing.text.value.trim()} />
    </div>
  );
}

function RowTool({ icon, label, run }: { icon: "draft" | "trash"; label: string; run(): void }) {
  return (
    <button type="button" class="icon-button small" aria-label={label} onClick={run}>
      <Icon name={icon} size={15} />
    </button>
  );
}

interface ChangeProps {
  id: number;
  title: string;
  content: string;
  end(): void;
}

/** Changes a snippet where it stands. */
function Change({ id, title, content, end }: ChangeProps) {
  const app = useApp();
  const name = useSignal(title);
  const text = useSignal(content);
  const first = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => first.current?.focus(), []);
  const save = async () => {
    const params = { title: name.value.trim(), content: text.value.trim() };
    if (await app.actions.try("PATCH", `/saved_snippets/${id}`, params)) end();
  };
  return (
    <form
      class="snippet-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        ref={first}
        required
        dir="auto"
        aria-label={t.snippetTitle}
        maxLength={60}
        value={name}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <textarea
        required
        rows={4}
        dir="auto"
        aria-label={t.snippetText}
        value={text}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <div class="own-actions">
        <button type="submit" class="button small">
          {t.save}
        </button>
        <button type="button" class="button quiet small" onClick={end}>
          {t.cancel}
        </button>
      </div>
    </form>
  );
}

function Save({ content }: { content: string }) {
  const app = useApp();
  const title = useSignal("");
  if (content === "") return <p class="soft">{t.writeToSave}</p>;
  const save = async () => {
    const sent = title.value;
    const answer = await app.actions.try("POST", "/saved_snippets", { title: sent.trim(), content });
    if (answer && title.value === sent) title.value = "";
  };
  return (
    <form
      class="add-line"
      onSubmit={(event) => {
        event.preventDefault();
        if (title.value.trim() !== "") void save();
      }}
    >
      <input
        aria-label={t.snippetTitle}
        placeholder={t.saveAsSnippet}
        maxLength={60}
        value={title}
        onInput={(event) => (title.value = event.currentTarget.value)}
      />
      <button type="submit" class="button small" disabled={title.value.trim() === ""}>
        {t.save}
      </button>
    </form>
  );
}
