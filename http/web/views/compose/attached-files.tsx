/** What is attached to the text that is being written: files that are on their way, and those that it links to. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { type Attached, attachedIn, isPicture } from "../../model/files/attached.ts";
import { thumbnailOf } from "../../model/files/sizes.ts";
import type { Uploading, Writing } from "../../model/writing/writing.ts";
import { t } from "../../texts.ts";
import { fileWords, kindWords, shareWords } from "../parts/file-words.ts";
import { Icon } from "../parts/icons.tsx";

interface Props {
  of: Writing;
  /** Takes the link to a file out of the text. */
  remove(file: Attached): void;
}

export function AttachedFiles({ of: { text, uploads }, remove }: Props) {
  const app = useApp();
  const attached = attachedIn(text.value);
  const running = uploads.running.value;
  if (attached.length + running.length === 0) return null;
  return (
    <ul class="uploads" aria-label={t.attachedFiles}>
      {attached.map((file) => (
        <FileLine
          key={`${file.path} ${file.from}`}
          name={file.name}
          source={isPicture(file.path) ? thumbnailOf(file.url) : undefined}
          end={<End label={t.removeFile(file.name)} run={() => remove(file)} />}
        >
          <span class="soft">{fileWords(file.path, app.fileSizes.of(file.path))}</span>
        </FileLine>
      ))}
      {running.map((one) => (
        <Running key={one.key} upload={one} />
      ))}
    </ul>
  );
}

function Running({ upload: { name, file, share, cancel } }: { upload: Uploading }) {
  const [source, setSource] = useState<string | undefined>(undefined);
  useEffect(() => {
    if (!isPicture(name)) return;
    const address = URL.createObjectURL(file);
    setSource(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);
  return (
    <FileLine name={name} source={source} end={<End label={t.cancelFile(name)} run={cancel} />}>
      <progress value={share} max={1} aria-label={name} />
      <span class="soft">{shareWords(share)}</span>
      <span class="soft">{fileWords(name, file.size)}</span>
    </FileLine>
  );
}

interface LineProps {
  name: string;
  /** Address of a picture of it. */
  source: string | undefined;
  end: ComponentChildren;
  children: ComponentChildren;
}

function FileLine({ name, source, end, children }: LineProps) {
  const [broken, setBroken] = useState<string | undefined>(undefined);
  return (
    <li>
      {source === undefined || source === broken ? (
        <span class="file-kind" aria-hidden="true">
          {kindWords(name)}
        </span>
      ) : (
        <img class="file-kind" src={source} alt="" onError={() => setBroken(source)} />
      )}
      <span class="file-says">
        <span class="ellipsis" title={name} dir="auto">
          {name}
        </span>
        <span class="file-facts">{children}</span>
      </span>
      {end}
    </li>
  );
}

function End({ label, run }: { label: string; run(): void }) {
  return (
    <button type="button" class="icon-button small" aria-label={label} title={label} onClick={run}>
      <Icon name="close" size={15} />
    </button>
  );
}
