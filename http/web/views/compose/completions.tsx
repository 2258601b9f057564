/** The list of completions above the text box. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject, TextareaHTMLAttributes } from "preact";
import { useMemo } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import type { Completion } from "../../model/completion.ts";
import { t } from "../../texts.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";

interface Props {
  input: RefObject<HTMLTextAreaElement | null>;
  text: string;
  caret: number;
  find(before: string): Completion | undefined;
  write(text: string): void;
  children(
    aria: Partial<TextareaHTMLAttributes<HTMLTextAreaElement>>,
    completesKey: (event: KeyboardEvent) => boolean,
  ): ComponentChildren;
}

const icons: Readonly<Record<string, IconName>> = {
  group: "people",
  wildcard: "people",
  channel: "hash",
  topic: "feed",
  command: "code",
  time: "clock",
};

export function Completions({ input, text, caret, find, write, children }: Props) {
  const app = useApp();
  const chosen = useSignal(0);
  const dismissed = useSignal("");
  const before = text.slice(0, caret);
  const found = useMemo(
    () => (before === dismissed.value ? undefined : find(before)),
    [before, dismissed.value, app.emoji.all.length],
  );
  const candidates = found?.candidates ?? [];
  const at = Math.min(chosen.value, Math.max(0, candidates.length - 1));
  const take = (index: number) => {
    const candidate = candidates[index];
    if (!candidate || !found) return;
    const next = text.slice(0, found.from) + candidate.insert + text.slice(caret);
    write(next);
    chosen.value = 0;
    const box = input.current!;
    box.value = next;
    box.focus();
    const end = found.from + candidate.insert.length;
    box.setSelectionRange(end, end);
  };
  const completesKey = (event: KeyboardEvent): boolean => {
    if (candidates.length === 0) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) chosen.value = (at + step + candidates.length) % candidates.length;
    else if (event.key === "Tab" || (event.key === "Enter" && !event.shiftKey && !event.ctrlKey)) take(at);
    else if (event.key === "Escape") dismissed.value = before;
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const aria = {
    "aria-autocomplete": "list",
    "aria-controls": "completions",
    ...(candidates.length > 0 && { "aria-activedescendant": `completion-${at}` }),
  } as unknown as Partial<TextareaHTMLAttributes<HTMLTextAreaElement>>;
  return (
    <>
      {children(aria, completesKey)}
      <ul
        id="completions"
        class="completions"
        role="listbox"
        aria-label={t.completions}
        hidden={candidates.length === 0}
      >
        {candidates.map((candidate, index) => (
          <li
            key={`${candidate.kind}${candidate.insert}`}
            id={`completion-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => {
              event.preventDefault();
              take(index);
            }}
          >
            {candidate.userId !== undefined ? (
              <Avatar user={app.people.get(candidate.userId)} size={22} />
            ) : candidate.picture ? (
              <img src={candidate.picture} alt="" width="20" height="20" />
            ) : candidate.kind === "emoji" ? (
              <span class="emoji-preview">{candidate.detail}</span>
            ) : (
              <Icon name={icons[candidate.kind] ?? "hash"} size={16} />
            )}
            <bdi>{candidate.label}</bdi>
            {candidate.detail && candidate.kind !== "emoji" && <span class="soft ellipsis">{candidate.detail}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
