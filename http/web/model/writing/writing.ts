/** A text that is being written, and the files that are uploaded for it. */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { persist } from "../../../client/persist.ts";
import { t } from "../../texts.ts";
import { ApiError, upload, wordsOf } from "../../wire/api.ts";
import type { Conversation } from "../../wire/narrow.ts";
import { uploadInParts } from "../../wire/resumable.ts";
import { type FileSizes, uploadAt } from "../files/sizes.ts";
import type { Store } from "../store.ts";
import type { Ui } from "../ui.ts";

/** A message that is being written, or one that is being edited. */
export interface Writing {
  readonly text: ReadonlySignal<string>;
  /** Where it goes; undefined while that is not complete. */
  readonly conversation: ReadonlySignal<Conversation | undefined>;
  readonly uploads: Uploads;
  write(text: string): void;
  /** Uploads files. Each finished upload appends a link to the text. */
  attach(files: Iterable<File>): void;
}

export interface Uploading {
  key: number;
  name: string;
  file: File;
  share: number;
  cancel(): void;
}

/** A text with another on a line of its own at its end. */
export const withLine = (text: string, line: string): string => (text === "" ? line : `${text.trimEnd()}\n${line}`);

/** Bytes of a file from which on an upload goes on where it ended; a smaller one begins anew. */
const resumedBytes = 4 * 1024 * 1024;

export class Uploads {
  readonly running: Signal<readonly Uploading[]> = signal([]);
  #count = 0;

  constructor(private readonly app: { ui: Ui; store: Store; fileSizes: FileSizes }) {}

  /** @param place takes the link to each file that is stored */
  add(files: Iterable<File>, place: (link: string) => void): void {
    for (const file of files) void this.store(file).then((link) => link !== undefined && place(link));
  }

  /** Returns the link to the file; undefined when it was not stored. Unless it was cancelled, a note says why. */
  async store(file: File): Promise<string | undefined> {
    const key = ++this.#count;
    const cancelling = new AbortController();
    const name = file.name || t.pastedImage;
    const maxMib = this.app.store.state.max_file_upload_size_mib;
    if (maxMib !== undefined && file.size > maxMib * 1024 * 1024) {
      this.app.ui.note(t.fileTooLarge(name, maxMib), "problem");
      return undefined;
    }
    const entry: Uploading = { key, name, file, share: 0, cancel: () => cancelling.abort() };
    this.running.value = [...this.running.value, entry];
    try {
      const named = file.name ? file : new File([file], "image.png", { type: file.type });
      const { signal } = cancelling;
      const onProgress = (share: number) => {
        this.running.value = this.running.value.map((one) => (one.key === key ? { ...one, share } : one));
      };
      // A file that was stored without an answer is in no message, and is forgotten. A large one goes on.
      const { url, filename } = await persist(
        () =>
          named.size < resumedBytes
            ? upload<{ url: string; filename: string }>("/user_uploads", { file: named }, { signal, onProgress })
            : uploadInParts(named, { signal, onProgress }),
        { signal },
      );
      const path = uploadAt(url);
      if (path !== undefined) this.app.fileSizes.learn(path, named.size);
      return `[${filename.replace(/[[\]]/g, "")}](${url})`;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!cancelling.signal.aborted) this.app.ui.note(t.uploadFailed(name, wordsOf(error)), "problem");
      return undefined;
    } finally {
      this.running.value = this.running.value.filter((one) => one.key !== key);
    }
  }
}
