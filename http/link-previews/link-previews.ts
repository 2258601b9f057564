/**
 * Previews of links: pages are read by `fetch-process.mjs`, their pictures drawn small and kept here, and the message
 * is told. Nothing is promised: what comes when too many wait, or just before a stop, has no preview.
 */

import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { thumbnailSize } from "../../actors/markdown/uploads.ts";
import type { Embed } from "../../actors/messages/link-previews.ts";
import type { LinkPreviewer, WantedPreviews } from "../../actors/messages/wanted-previews.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { filePath, putFile, removeFile } from "../../storage/files.ts";
import type { RealmId } from "../../storage/ids.ts";
import type { PictureMaker } from "../pictures/picture-maker.ts";
import { startIsolated } from "../server/isolated-process.ts";
import { folderOf, KeptPictures } from "./kept-pictures.ts";

export interface LinkPreviewSettings {
  dataDir: string;
  /** Addresses and ranges that may be read although they are not public. */
  alsoAllowed: string;
  userAgent: string;
}

/** What the process found. */
interface Found {
  title: string;
  description: string;
  image: Uint8Array;
}

interface Known {
  embed: Promise<Embed | undefined>;
  at: number;
}

/** Messages that wait. */
const maxWaiting = 200;
/** Pages that are read at once. */
const maxAtOnce = 4;
/** The process gives up before; one that does not is ended. */
const overdueMs = 30_000;
const idleMs = 30_000;
const againAfterMs = 1000;
/** What a page said holds for so long, for so many pages. */
const keptMs = 3_600_000;
const maxKept = 500;

export class LinkPreviews implements LinkPreviewer {
  #system: ActorSystem | undefined;
  #child: ChildProcess | undefined;
  #taskId = 0;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;
  #atWork = 0;
  readonly #waiting: WantedPreviews[] = [];
  readonly #asked = new Map<number, (found: Found | undefined | "undone") => void>();
  readonly #known = new Map<string, Known>();
  readonly #kept: KeptPictures;

  constructor(
    private readonly settings: LinkPreviewSettings,
    private readonly pictures: PictureMaker,
    private readonly log: { warn(fields: object, message: string): void },
  ) {
    this.#kept = new KeptPictures(settings.dataDir);
  }

  attach(system: ActorSystem): void {
    this.#system = system;
  }

  wanted(wanted: WantedPreviews): void {
    if (this.#isClosed || this.#waiting.length >= maxWaiting) return;
    this.#waiting.push(wanted);
    this.#next();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#end();
  }

  #next(): void {
    while (this.#atWork < maxAtOnce) {
      const wanted = this.#waiting.shift();
      if (!wanted) return;
      this.#atWork++;
      void this.#serve(wanted)
        .catch((error: unknown) => this.log.warn({ realm: wanted.realmId, err: error }, "no preview of a link"))
        .finally(() => {
          this.#atWork--;
          this.#next();
        });
    }
  }

  /** The pages of one message, one after the other. */
  async #serve({ realmId, messageId, basis, urls }: WantedPreviews): Promise<void> {
    const embeds: Embed[] = [];
    for (const url of urls) {
      const embed = await this.#embedOf(realmId, url);
      if (embed) embeds.push(embed);
    }
    const realm = this.#system?.all().find(({ id }) => id === realmId);
    if (embeds.length > 0 && !this.#isClosed) await realm?.execute("addLinkPreviews", { messageId, basis, embeds });
  }

  #embedOf(realmId: RealmId, url: string): Promise<Embed | undefined> {
    const key = `${realmId} ${url}`;
    const before = this.#known.get(key);
    if (before && performance.now() - before.at < keptMs) return before.embed;
    this.#known.delete(key);
    const embed = this.#insist(realmId, url);
    this.#known.set(key, { embed, at: performance.now() });
    if (this.#known.size > maxKept) this.#known.delete(this.#known.keys().next().value!);
    return embed;
  }

  /** What ended beside another page's reading, or found too many at work, is tried once more. */
  async #insist(realmId: RealmId, url: string): Promise<Embed | undefined> {
    const first = await this.#make(realmId, url);
    if (first !== "undone") return first;
    await delay(againAfterMs, undefined, { ref: false });
    const second = await this.#make(realmId, url);
    return second === "undone" ? undefined : second;
  }

  /** `undone`: whether the page has a preview was not found out. */
  async #make(realmId: RealmId, url: string): Promise<Embed | undefined | "undone"> {
    const found = await this.#ask(url);
    if (!found || found === "undone") return found;
    const name = randomBytes(16).toString("hex");
    const { dataDir } = this.settings;
    const source = `${folderOf(realmId)}/${name}`;
    await putFile(dataDir, source, found.image);
    const made = await this.pictures
      .make(filePath(dataDir, source), thumbnailSize.still)
      .finally(() => removeFile(dataDir, source));
    if (made === "busy") return "undone";
    if (made === undefined) return undefined;
    await this.#kept.put(realmId, `${source}.webp`, made.drawn[thumbnailSize.still]!);
    const { title, description } = found;
    return { url, title, description, image: `/link_previews/${realmId}/${name}.webp` };
  }

  #ask(url: string): Promise<Found | undefined | "undone"> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const id = ++this.#taskId;
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const child = this.#child;
    const { userAgent, alsoAllowed } = this.settings;
    return new Promise((resolve) => {
      const overdue = setTimeout(() => child === this.#child && this.#end(), overdueMs).unref();
      this.#asked.set(id, (found) => {
        clearTimeout(overdue);
        this.#asked.delete(id);
        if (this.#asked.size === 0) this.#idle = setTimeout(() => this.#end(), idleMs).unref();
        resolve(found);
      });
      // A process that has just died says so by `exit`.
      child.send({ id, url, userAgent, alsoAllowed }, () => {});
    });
  }

  #start(): ChildProcess {
    const child = startIsolated("./fetch-process.mjs", import.meta.url, (gone) => {
      if (gone === this.#child) this.#end();
    });
    child.on("message", ({ id, found }: { id: number; found?: Found }) => this.#asked.get(id)?.(found));
    return child;
  }

  /** Ends the process; whoever waits for it hears that nothing was found out. */
  #end(): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill("SIGKILL");
    for (const done of [...this.#asked.values()]) done("undone");
    // The last of them has set it.
    clearTimeout(this.#idle);
  }
}
