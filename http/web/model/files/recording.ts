/** Records what is said into the microphone, with the time and how loud it was. */
import { type Signal, signal } from "@preact/signals";

/** Somebody who forgets the microphone sends no hours. */
const maxSecs = 10 * 60;
const tickMs = 100;
/** Enough for speech: some 240 kB a minute. */
const bitsPerSecond = 32_000;
const levelsShown = 48;

/** What browsers can record, the best first, with the extension of a file of that type. */
const forms = [
  ["audio/webm;codecs=opus", "webm"],
  ["audio/mp4", "m4a"],
] as const;

const form = () =>
  "MediaRecorder" in globalThis ? forms.find(([type]) => MediaRecorder.isTypeSupported(type)) : undefined;

/** Whether this browser records. Without https it lets no page near a microphone. */
export const canRecord = (): boolean => form() !== undefined && navigator.mediaDevices !== undefined;

/** @throws DOMException where there is no microphone, the person does not allow it, or the browser cannot record it */
export async function beginRecording(): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  try {
    return new Recording(stream, form() ?? forms[0]);
  } catch (error) {
    letGo(stream);
    throw error;
  }
}

/** Browsers show that a page listens until then. */
function letGo(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

export class Recording {
  readonly secs: Signal<number> = signal(0);
  /** From 0 to 1, the newest last. */
  readonly levels: Signal<readonly number[]> = signal([]);
  readonly isOver: Signal<boolean> = signal(false);
  readonly #recorder: MediaRecorder;
  readonly #context = new AudioContext();
  readonly #parts: Blob[] = [];
  readonly #begin = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #ended: Promise<void>;

  constructor(
    private readonly stream: MediaStream,
    private readonly form: readonly [type: string, extension: string],
  ) {
    this.#recorder = new MediaRecorder(stream, { mimeType: form[0], audioBitsPerSecond: bitsPerSecond });
    this.#recorder.addEventListener("dataavailable", ({ data }) => this.#parts.push(data));
    this.#ended = new Promise((resolve) => this.#recorder.addEventListener("stop", () => resolve()));
    // The microphone may be pulled out.
    void this.#ended.then(() => this.#release());
    this.#recorder.start();
    const analyser = this.#context.createAnalyser();
    // Each look reaches back to the one before: no sound falls between two, as short as it may be.
    analyser.fftSize = 2 ** Math.ceil(Math.log2((this.#context.sampleRate * tickMs) / 1000));
    this.#context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Uint8Array(analyser.fftSize);
    this.#timer = setInterval(() => {
      analyser.getByteTimeDomainData(samples);
      const level = samples.reduce((most, sample) => Math.max(most, Math.abs(sample - 128)), 0) / 128;
      this.levels.value = [...this.levels.peek().slice(1 - levelsShown), level];
      this.secs.value = (performance.now() - this.#begin) / 1000;
      if (this.secs.peek() >= maxSecs) void this.end();
    }, tickMs);
  }

  /** Ends it. Returns what was recorded. */
  async end(): Promise<File> {
    if (this.#recorder.state !== "inactive") this.#recorder.stop();
    await this.#ended;
    const [type, extension] = this.form;
    return new File(this.#parts, `voice-message.${extension}`, { type: type.replace(/;.*/, "") });
  }

  #release(): void {
    clearInterval(this.#timer);
    letGo(this.stream);
    void this.#context.close();
    this.isOver.value = true;
  }
}
