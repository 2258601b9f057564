/**
 * What the page needs to open without a server: its worker, which keeps files and answers, and messages that wait to be
 * sent.
 */
import { textsOf } from "../kept.ts";
import { spoken } from "../languages/speaking.ts";
import type { Pending } from "./outbox.ts";

interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface Policies {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

const workerPath = "/service-worker.js";
/** As the worker names it. */
const dataCache = "parley-data";
const storageKey = "parley.outbox";
const ownerKey = "parley.offline";

/** Not a file with the texts of another language. */
function isSpoken(path: string): boolean {
  const language = /\/language\.([\w-]+)\./.exec(path)?.[1];
  return language === undefined || language === spoken.peek().language;
}

export class Offline {
  #policy: ScriptPolicy | undefined;

  /** Registers the worker of the page, or finds it. @throws where the browser has none */
  async registerWorker(): Promise<ServiceWorkerRegistration> {
    const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
    this.#policy ??= policies?.createPolicy("parley-worker", { createScriptURL: () => workerPath });
    await navigator.serviceWorker.register(this.#policy?.createScriptURL(workerPath) ?? workerPath);
    return navigator.serviceWorker.ready;
  }

  /** Has the worker keep the page for this person. Browsers have no workers without https and in private windows. */
  async keep(me: number): Promise<void> {
    if (!("serviceWorker" in navigator)) return;
    try {
      if (localStorage.getItem(ownerKey) !== String(me)) await caches.delete(dataCache);
      localStorage.setItem(ownerKey, String(me));
      const { active } = await this.registerWorker();
      const answer = await fetch("/static/web/files.json", { cache: "no-cache" });
      if (!answer.ok) return;
      active?.postMessage({ keep: textsOf(await answer.json()).filter(isSpoken) });
    } catch {
      // The page works without.
    }
  }

  /** At the end of a log-in: whoever comes next to this browser finds nothing. */
  async forget(): Promise<void> {
    try {
      localStorage.removeItem(storageKey);
      localStorage.removeItem(ownerKey);
      await caches.delete(dataCache);
    } catch {
      // Nothing was kept: the browser does not allow it.
    }
  }
}

/** Keeps messages that are not sent yet. @param me whose they are */
export function keepOutbox(me: number, pending: readonly Pending[]): void {
  const waiting = pending.filter(({ state }) => state !== "sent");
  try {
    if (waiting.length === 0) localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, JSON.stringify({ me, waiting }));
  } catch {
    // Storage is full or forbidden: they are lost with the page.
  }
}

/** The messages that this person did not get sent before the page closed. */
export function keptOutbox(me: number): readonly Pending[] {
  try {
    const kept = JSON.parse(localStorage.getItem(storageKey) ?? "{}") as { me?: number; waiting?: Pending[] };
    return kept.me === me && Array.isArray(kept.waiting) ? kept.waiting : [];
  } catch {
    return [];
  }
}
