/**
 * Plays sound in a message. Nothing is fetched before somebody wants to hear it. What is short is fetched whole then,
 * and shows its waveform. What is long is played as it comes.
 */
import { effect, signal } from "@preact/signals";
import { t } from "../../texts.ts";
import { lengthWords } from "../parts/lengths.ts";

/** A quarter of an hour of speech. More would be a great deal when it is decoded. */
const mostDrawnBytes = 4 * 1024 * 1024;
const bars = 64;
/** The lowest rate that every browser decodes to. A waveform needs no more. */
const drawnRate = 8000;
const rates = [1, 1.5, 2];
const svg = "http://www.w3.org/2000/svg";

/** Puts a player in the place of the browser's own. Returns what ends it. */
export function makePlayer(audio: HTMLAudioElement): () => void {
  const source = audio.src;
  const state = { isPlaying: signal(false), at: signal(0), secs: signal(0), rate: signal(1) };
  audio.controls = false;
  const play = button("play", () => (audio.paused ? void start() : audio.pause()));
  const speed = button("speed", () => {
    state.rate.value = rates[(rates.indexOf(state.rate.peek()) + 1) % rates.length] ?? 1;
  });
  const seek = document.createElement("input");
  seek.type = "range";
  seek.max = "1";
  seek.step = "any";
  seek.value = "0";
  seek.ariaLabel = t.position;
  const time = document.createElement("span");
  time.className = "time";
  const track = document.createElement("span");
  track.className = "track";
  track.append(seek);
  const player = document.createElement("div");
  player.className = "player";
  player.role = "group";
  player.ariaLabel = audio.title || t.sound;
  player.dir = "ltr";
  audio.replaceWith(player);
  player.append(audio, play, track, time, speed);

  let isFetched = false;
  let address: string | undefined;
  const start = async () => {
    if (!isFetched) {
      isFetched = true;
      const sound = await fetchShort(source);
      if (sound) {
        audio.src = address = URL.createObjectURL(sound);
        void draw(sound, track).then((secs) => (state.secs.value = secs || state.secs.peek()));
      }
    }
    for (const other of document.querySelectorAll("audio")) if (other !== audio) other.pause();
    // Where the browser wants another press, the player stays as it is.
    await audio.play().catch(() => {});
  };
  const follow = () => {
    state.isPlaying.value = !audio.paused;
    state.at.value = audio.currentTime;
    // Recordings of browsers do not say how long they are.
    if (Number.isFinite(audio.duration)) state.secs.value = audio.duration;
  };
  for (const type of ["play", "pause", "ended", "timeupdate", "durationchange", "seeked"])
    audio.addEventListener(type, follow);
  seek.addEventListener("input", () => {
    audio.currentTime = Number(seek.value) * state.secs.peek();
  });
  const endShowing = show({ ...state, audio, play, speed, seek, time, track });
  return () => {
    endShowing();
    audio.pause();
    if (address !== undefined) URL.revokeObjectURL(address);
  };
}

interface Shown {
  isPlaying: { value: boolean };
  at: { value: number };
  secs: { value: number };
  rate: { value: number };
  audio: HTMLAudioElement;
  play: HTMLButtonElement;
  speed: HTMLButtonElement;
  seek: HTMLInputElement;
  time: HTMLElement;
  track: HTMLElement;
}

/** Keeps what is shown as the sound is. */
function show({ isPlaying, at, secs, rate, audio, play, speed, seek, time, track }: Shown): () => void {
  const ends = [
    effect(() => {
      play.classList.toggle("on", isPlaying.value);
      play.ariaLabel = play.title = isPlaying.value ? t.pause : t.play;
    }),
    effect(() => {
      const share = secs.value > 0 ? Math.min(1, at.value / secs.value) : 0;
      seek.value = String(share);
      seek.disabled = secs.value === 0;
      seek.ariaValueText = lengthWords(at.value);
      track.style.setProperty("--played", `${share * 100}%`);
      time.textContent = secs.value > 0 ? `${lengthWords(at.value)} / ${lengthWords(secs.value)}` : "";
    }),
    effect(() => {
      audio.defaultPlaybackRate = audio.playbackRate = rate.value;
      speed.textContent = `${rate.value}×`;
      speed.ariaLabel = speed.title = t.speed(`${rate.value}×`);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

function button(name: string, run: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.className = name;
  element.addEventListener("click", run);
  return element;
}

/** The whole sound, unless it is long or does not come: then the browser plays it as it comes. */
async function fetchShort(source: string): Promise<Blob | undefined> {
  const stop = new AbortController();
  try {
    const answer = await fetch(source, { signal: stop.signal });
    const bytes = Number(answer.headers.get("Content-Length") ?? Number.POSITIVE_INFINITY);
    if (answer.ok && bytes <= mostDrawnBytes) return await answer.blob();
    stop.abort();
  } catch {
    // The browser's own player says what it can.
  }
  return undefined;
}

/** Draws how loud a sound is. Returns its seconds; 0 where the browser cannot decode it. */
async function draw(sound: Blob, into: HTMLElement): Promise<number> {
  const decoder = new OfflineAudioContext(1, 1, drawnRate);
  const decoded = await sound
    .arrayBuffer()
    .then((bytes) => decoder.decodeAudioData(bytes))
    .catch(() => undefined);
  if (!decoded) return 0;
  const samples = decoded.getChannelData(0);
  const each = Math.max(1, Math.floor(samples.length / bars));
  const peaks = Array.from({ length: bars }, (_, at) =>
    samples.subarray(at * each, (at + 1) * each).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0),
  );
  const loudest = Math.max(0.01, ...peaks);
  const d = peaks
    .map((peak, at) => ({ at, half: Math.max(1, Math.round((peak / loudest) * 14)) }))
    .map(({ at, half }) => `M${at * 3 + 1} ${16 - half}v${2 * half}`)
    .join("");
  for (const name of ["all", "played"]) {
    const drawing = document.createElementNS(svg, "svg");
    drawing.setAttribute("class", `wave ${name}`);
    drawing.setAttribute("viewBox", `0 0 ${bars * 3} 32`);
    drawing.setAttribute("preserveAspectRatio", "none");
    drawing.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(svg, "path");
    path.setAttribute("d", d);
    drawing.append(path);
    into.prepend(drawing);
  }
  into.classList.add("drawn");
  return decoded.duration;
}
