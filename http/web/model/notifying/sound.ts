/** The sounds of new messages: short synthesized tones, by the values of `notification_sound`. */

interface Tone {
  /** In hertz. */
  from: number;
  /** Where the tone slides to. */
  to?: number;
  shape?: OscillatorType;
  /** In seconds, as the lengths below. */
  at: number;
}

interface Sound {
  length: number;
  tones: readonly Tone[];
}

const usual: Sound = {
  length: 0.5,
  tones: [
    { from: 659, at: 0 },
    { from: 880, at: 0.12 },
  ],
};

const sounds: Readonly<Record<string, Sound>> = {
  bell: {
    length: 1.2,
    tones: [
      { from: 784, at: 0 },
      { from: 1568, at: 0 },
      { from: 2117, at: 0 },
    ],
  },
  chime: {
    length: 0.9,
    tones: [
      { from: 1047, at: 0 },
      { from: 784, at: 0.15 },
      { from: 1319, at: 0.3 },
    ],
  },
  ding: { length: 0.6, tones: [{ from: 1319, at: 0 }] },
  sharp: {
    length: 0.25,
    tones: [
      { from: 1568, shape: "triangle", at: 0 },
      { from: 1568, shape: "triangle", at: 0.1 },
    ],
  },
  slide: { length: 0.5, tones: [{ from: 440, to: 880, at: 0 }] },
};

const loudness = 0.06;
const silence = 0.0001;

/** @param name a value of `notification_sound`; the usual sound stands for what the page does not know */
export function playSound(name: unknown): void {
  if (name === "none") return;
  const { length, tones } = sounds[String(name)] ?? usual;
  try {
    const context = new AudioContext();
    const begin = context.currentTime;
    const gain = context.createGain();
    gain.connect(context.destination);
    gain.gain.setValueAtTime(loudness, begin);
    gain.gain.exponentialRampToValueAtTime(silence, begin + length);
    for (const { from, to = from, shape = "sine", at } of tones) {
      const tone = context.createOscillator();
      tone.type = shape;
      tone.frequency.setValueAtTime(from, begin + at);
      tone.frequency.exponentialRampToValueAtTime(to, begin + length);
      tone.connect(gain);
      tone.start(begin + at);
      tone.stop(begin + length);
    }
    setTimeout(() => void context.close(), length * 1000 + 200);
  } catch {
    // Some browsers play no sound before the first click.
  }
}
