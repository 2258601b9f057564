/**
 * Pictures, films and sound of other sites that messages show. A reader asks this server, which reads the site once and
 * keeps a copy. Of a picture that is a small drawing, of a film or a sound its bytes. So no other site learns who reads
 * here, and none answers anything but media.
 */
import { createHash } from "node:crypto";
import { mediaTypeOf } from "../../actors/markdown/outside-media.ts";
import { thumbnailSize } from "../../actors/markdown/uploads.ts";
import { oldestOf } from "../../storage/failures.ts";
import type { FileStore } from "../../storage/files/file-store.ts";
import type { RealmId } from "../../storage/ids.ts";
import { KeptFiles } from "../link-previews/kept-files.ts";
import type { SiteReader } from "../link-previews/site-reader.ts";
import type { PictureMaker } from "../pictures/picture-maker.ts";
import { readSignedAddress } from "./address.ts";

/** A copy below the data folder. */
export interface Copy {
  path: string;
  contentType: string;
  /** Of a picture: which of its drawings that is. */
  drawing?: "still" | "moving";
}

/** `busy`: too many wait. Undefined: the site has nothing to be shown. */
export type CopyOutcome = Copy | undefined | "busy";

/** Addresses that are read at once, and requests that wait for others. */
const maxAtOnce = 8;
const maxWaiting = 200;
/** A site that had nothing is not asked again for so long. */
const failedMs = 300_000;
const maxFailed = 1000;

export class ExternalContents {
  readonly #kept: KeptFiles;
  readonly #underway = new Map<string, Promise<CopyOutcome>>();
  readonly #waiting: (() => void)[] = [];
  readonly #failedAt = new Map<string, number>();
  #atWork = 0;

  constructor(
    private readonly key: Buffer,
    readonly files: FileStore,
    private readonly reader: SiteReader,
    private readonly pictures: PictureMaker,
  ) {
    this.#kept = new KeptFiles(files, "external-content");
  }

  /**
   * The copy of what an address of ours leads to. Undefined as well for one that is not ours.
   *
   * @param isStill whether a picture that moves is wanted by its first frame: that is drawn many times faster
   */
  async find(realmId: RealmId, digest: string, hex: string, isStill = false): Promise<CopyOutcome> {
    const url = readSignedAddress(this.key, digest, hex);
    const type = url === undefined ? undefined : mediaTypeOf(url);
    if (url === undefined || type === undefined) return undefined;
    const isPicture = type === "image";
    const name = createHash("sha256").update(url).digest("hex");
    const folder = `external-content/${realmId}`;
    const copy: Copy = !isPicture
      ? { path: `${folder}/${name}`, contentType: type }
      : isStill
        ? { path: `${folder}/${name}-still.webp`, contentType: "image/webp", drawing: "still" }
        : { path: `${folder}/${name}.webp`, contentType: "image/webp", drawing: "moving" };
    if ((await this.files.size(copy.path)) !== undefined) return copy;
    if (performance.now() - (this.#failedAt.get(copy.path) ?? Number.NEGATIVE_INFINITY) < failedMs) return undefined;
    let outcome = this.#underway.get(copy.path);
    if (!outcome) {
      outcome = this.#inTurn(() => this.#read(realmId, url, copy)).finally(() => this.#underway.delete(copy.path));
      this.#underway.set(copy.path, outcome);
    }
    return outcome;
  }

  async #inTurn(read: () => Promise<CopyOutcome>): Promise<CopyOutcome> {
    if (this.#waiting.length >= maxWaiting) return "busy";
    if (this.#atWork >= maxAtOnce) await new Promise<void>((next) => this.#waiting.push(next));
    this.#atWork++;
    try {
      return await read();
    } finally {
      this.#atWork--;
      this.#waiting.shift()?.();
    }
  }

  async #read(realmId: RealmId, url: string, copy: Copy): Promise<CopyOutcome> {
    const found = await this.reader.readMedia(url);
    if (found === "undone") return "busy";
    const bytes =
      found && (copy.drawing === undefined ? playable(found) : await this.#draw(copy.path, found.bytes, copy.drawing));
    if (bytes === "busy") return "busy";
    if (bytes === undefined) {
      this.#failedAt.set(copy.path, performance.now());
      if (this.#failedAt.size > maxFailed) this.#failedAt.delete(oldestOf(this.#failedAt));
      return undefined;
    }
    await this.#kept.put(realmId, copy.path, bytes);
    return copy;
  }

  /** A picture is decoded where nothing can be broken, and what is kept was drawn there. */
  async #draw(path: string, bytes: Uint8Array, drawing: "still" | "moving"): Promise<Uint8Array | undefined | "busy"> {
    const source = path.replace(/\.webp$/, "");
    await this.files.put(source, bytes);
    const made = await this.files
      .onDisk(source, (file) => this.pictures.make(file, drawing === "still" ? thumbnailSize.still : undefined))
      .finally(() => this.files.remove(source));
    return made === "busy" ? made : (made?.drawn[thumbnailSize.animated] ?? made?.drawn[thumbnailSize.still]);
  }
}

/** The bytes of a film or a sound. A page that says so of itself is none. */
function playable({ type, bytes }: { type: string; bytes: Uint8Array }): Uint8Array | undefined {
  return /^(?:video|audio)\/|^application\/(?:octet-stream|mp4|ogg)\b|^$/i.test(type) ? bytes : undefined;
}
