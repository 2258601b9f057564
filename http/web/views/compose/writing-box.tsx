/** Where a text is written, new or edited: its box, its tools, its preview, its files. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren, RefObject } from "preact";
import { useApp } from "../../model/app.ts";
import { type Attached, placeOf } from "../../model/files/attached.ts";
import { type Writing, withLine } from "../../model/writing/writing.ts";
import { t } from "../../texts.ts";
import { Content } from "../messages/content.tsx";
import { AttachedFiles } from "./attached-files.tsx";
import { ComposeTools } from "./compose-tools.tsx";
import { type Insert, insertInto, replaceIn } from "./insertion.ts";
import { TextBox } from "./text-box.tsx";

export type Input = RefObject<HTMLTextAreaElement | null>;

interface Props {
  writing: Writing;
  /** Of the box; another one for each that is in the page. */
  id: string;
  label: string;
  placeholder: string;
  input: Input;
  submit(): void;
  /** Called at Esc. */
  leave(): void;
  /** At the end of the tools. */
  endTools: ComponentChildren;
}

export function WritingBox({ endTools, submit, ...props }: Props) {
  const { writing, input } = props;
  const { preview, toggle, leave } = usePreview(input, writing.text.value);
  // A picker may be open still when its box is gone.
  const insert: Insert = (insertion, give) => {
    if (!input.current) return;
    if (!give || give(input.current)) insertInto(input.current, insertion);
    else writing.write(withLine(writing.text.peek(), insertion.before));
  };
  const remove = (file: Attached) => {
    const text = writing.text.peek();
    const [from, to] = placeOf(text, file);
    if (input.current) replaceIn(input.current, from, to, "");
    else writing.write(text.slice(0, from) + text.slice(to));
  };
  return (
    <div class="compose-box">
      {preview === undefined ? (
        <TextBox
          {...props}
          insert={insert}
          submit={() => {
            leave();
            submit();
          }}
          togglePreview={() => void toggle()}
        />
      ) : (
        <div class="preview" role="region" aria-label={t.preview} tabIndex={0}>
          <Content html={preview} />
        </div>
      )}
      <AttachedFiles of={writing} remove={remove} />
      <ComposeTools
        writing={writing}
        isPreviewed={preview !== undefined}
        insert={insert}
        togglePreview={() => void toggle()}
        endTools={endTools}
      />
    </div>
  );
}

/** The text as it will look, while the person looks at that. */
function usePreview(input: Input, text: string) {
  const app = useApp();
  const previewed = useSignal<{ of: string; html: string } | undefined>(undefined);
  // One that comes late must not lie over what was written since.
  const preview = previewed.value?.of === text ? previewed.value.html : undefined;
  const leave = () => {
    previewed.value = undefined;
  };
  const toggle = async () => {
    if (preview !== undefined) {
      const give = app.ui.focus.later();
      leave();
      requestAnimationFrame(() => give(input.current));
      return;
    }
    const answer = await app.actions.try<{ rendered: string }>("POST", "/messages/render", { content: text });
    previewed.value = answer && { of: text, html: answer.rendered };
  };
  return { preview, toggle, leave };
}
