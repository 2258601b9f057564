/** The list of completions above the text box. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject, TextareaHTMLAttributes } from "preact";
import { useMemo } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import type { Completion } from "../../model/writing/completion.ts";
import { t } from "../../texts.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Icon, type IconName } from "../parts/icons.tsx";
import { replaceIn } from "./insertion.ts";

interface Props {
  /** Of the box. */
  id: string;
  input: RefObject<HTMLTextAreaElement | null>;
  text: string;
  caret: number;
  find(before: string): Completion | undefined;
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

export function Completions({ id, input, text, caret, find, children }: Props) {
  const app = useApp();
  const chosen = useSignal(0);
  const dismissed = useSignal("");
  const before = text.slice(0, caret);
  const found = useMemo(
    () => (before === dismissed.value ? undefined : find(before)),
    // Who subscribes to the channel, and its topics, come a little later.
    [before, dismissed.value, app.emoji.known, app.members.fetched.value, app.topics.fetched.value],
  );
  const candidates = found?.candidates ?? [];
  const at = Math.min(chosen.value, Math.max(0, candidates.length - 1));
  const take = (index: number) => {
    const candidate = candidates[index];
    if (!candidate || !found) return;
    chosen.value = 0;
    if (input.current) replaceIn(input.current, found.from, caret, candidate.insert);
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
  const aria: Partial<TextareaHTMLAttributes<HTMLTextAreaElement>> = {
    "aria-autocomplete": "list",
    "aria-controls": `${id}-completions`,
    ...(candidates.length > 0 && { "aria-activedescendant": `${id}-completion-${at}` }),
  };
  return (
    <>
      {children(aria, completesKey)}
      <ul
        id={`${id}-completions`}
        class="completions"
        role="listbox"
        aria-label={t.completions}
        hidden={candidates.length === 0}
      >
        {candidates.map((candidate, index) => (
          <Candidate
            key={`${candidate.kind}${candidate.insert}`}
            id={`${id}-completion-${index}`}
            of={candidate}
            isChosen={index === at}
            take={() => take(index)}
          />
        ))}
      </ul>
    </>
  );
}

interface CandidateProps {
  id: string;
  of: Completion["candidates"][number];
  isChosen: boolean;
  take(): void;
}

function Candidate({ id, of: candidate, isChosen, take }: CandidateProps) {
  return (
    <li
      id={id}
      role="option"
      aria-selected={isChosen}
      onMouseDown={(event) => {
        // The box keeps the focus.
        event.preventDefault();
        take();
      }}
    >
      <Picture of={candidate} />
      <bdi>{candidate.label}</bdi>
      {candidate.detail && candidate.kind !== "emoji" && <bdi class="soft ellipsis">{candidate.detail}</bdi>}
    </li>
  );
}

function Picture({ of: { userId, picture, kind, detail } }: { of: Completion["candidates"][number] }) {
  const { people } = useApp();
  if (userId !== undefined) return <Avatar user={people.get(userId)} size={22} />;
  if (picture) return <img src={picture} alt="" width="20" height="20" />;
  if (kind === "emoji") return <span class="emoji-preview">{detail}</span>;
  return <Icon name={icons[kind] ?? "hash"} size={16} />;
}
