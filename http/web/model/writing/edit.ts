/** A message whose text is being edited. */
import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Conversation } from "../../wire/narrow.ts";
import type { FileSizes } from "../files/sizes.ts";
import type { Store } from "../store.ts";
import type { Ui } from "../ui.ts";
import { Uploads, type Writing, withLine } from "./writing.ts";

export class Edit implements Writing {
  readonly text: Signal<string>;
  readonly conversation: ReadonlySignal<Conversation | undefined>;
  readonly uploads: Uploads;

  constructor(
    app: { ui: Ui; store: Store; fileSizes: FileSizes },
    conversation: Conversation | undefined,
    source: string,
  ) {
    this.text = signal(source);
    this.conversation = signal(conversation);
    this.uploads = new Uploads(app);
  }

  write(text: string): void {
    this.text.value = text;
  }

  attach(files: Iterable<File>): void {
    this.uploads.add(files, (link) => this.write(withLine(this.text.peek(), link)));
  }
}
