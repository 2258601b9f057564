/**
 * Previews of links: pages are read by another process, their pictures drawn small and kept here, and the message
 * is told. Nothing is promised: what comes when too many wait, or just before a stop, has no preview.
 */

import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { thumbnailSize } from "../../actors/markdown/uploads.ts";
import type { Embed } from "../../actors/messages/changes/link-previews.ts";
import type { LinkPreviewer, WantedPreviews } from "../../actors/messages/wanted-previews.ts";
import { defined, oldestOf } from "../../storage/failures.ts";
import type { FileStore } from "../../storage/files/file-store.ts";
import type { RealmId } from "../../storage/ids.ts";
import type { PictureMaker } from "../pictures/picture-maker.ts";
import type { Homes } from "../process/homes/homes.ts";
import { KeptFiles } from "./kept-files.ts";
import type { SiteReader } from "./site-reader.ts";

interface Known {
  embed: Promise<Embed | undefined>;
  at: number;
}

/** Messages that wait. */
const maxWaiting = 200;
/** Pages that are read at once. */
const maxAtOnce = 4;
const againAfterMs = 1000;
/** What a page said holds for so long, for so many pages. */
const keptMs = 3_600_000;
const maxKept = 500;

export class LinkPreviews implements LinkPreviewer {
  #system: Homes | undefined;
  #isClosed = false;
  #atWork = 0;
  readonly #waiting: WantedPreviews[] = [];
  readonly #known = new Map<string, Known>();
  readonly #kept: KeptFiles;

  constructor(
    private readonly files: FileStore,
    private readonly reader: SiteReader,
    private readonly pictures: PictureMaker,
    private readonly log: { warn(fields: object, message: string): void },
  ) {
    this.#kept = new KeptFiles(files, "link-previews");
  }

  attach(system: Homes): void {
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
    if (this.#known.size > maxKept) this.#known.delete(oldestOf(this.#known));
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
    const found = await this.reader.readPage(url);
    if (!found || found === "undone") return found;
    const name = randomBytes(16).toString("hex");
    const source = `link-previews/${realmId}/${name}`;
    await this.files.put(source, found.image);
    const made = await this.files
      .onDisk(source, (file) => this.pictures.make(file, thumbnailSize.still))
      .finally(() => this.files.remove(source));
    if (made === "busy") return "undone";
    if (made === undefined) return undefined;
    await this.#kept.put(realmId, `${source}.webp`, defined(made.drawn[thumbnailSize.still], "picture of that size"));
    const { title, description } = found;
    return { url, title, description, image: `/link_previews/${realmId}/${name}.webp` };
  }
}
