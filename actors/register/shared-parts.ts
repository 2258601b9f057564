/**
 * What a register tells everybody alike, as JSON text: put together for the first who asks after a change, and then
 * handed to all others as it is.
 */
import type { RealmReader } from "../realm/reader.ts";
import { JsonFields } from "../text/json-text.ts";
import type { RegisterFields } from "./answer.ts";
import { sharedParts } from "./initial-state.ts";
import type { RegisterView } from "./view.ts";

/** Texts kept at most: most clients of an organization are of two or three kinds. */
const maxTexts = 8;

export class SharedParts {
  /** By the parts that are wanted and what their client can do, the one used longest ago first. */
  readonly #texts = new Map<string, JsonFields>();
  #revision = -1;

  /** Of the parts that are the same for everybody, those that are wanted. */
  text(realm: RealmReader, wants: (type: string) => boolean, view: RegisterView): JsonFields {
    const { state } = realm;
    if (state.organizationRevision !== this.#revision) this.#texts.clear();
    this.#revision = state.organizationRevision;
    const parts = sharedParts.filter(({ type }) => wants(type));
    const key = `${parts.map(({ type }) => type).join()} ${[...view.has].join()}`;
    const kept = this.#texts.get(key);
    this.#texts.delete(key);
    const text = kept ?? encode(Object.assign({}, ...parts.map((part) => part.read(realm, view))));
    // Where people have to wait to be full members, the clock changes the groups.
    if (state.setting("waiting_period_threshold") !== 0) return text;
    this.#texts.set(key, text);
    if (this.#texts.size > maxTexts) this.#texts.delete(this.#texts.keys().next().value!);
    return text;
  }
}

/** The memory of each text is its own, not a part of Node's pool: gzip keeps what it made of one by its memory. */
function encode(fields: RegisterFields): JsonFields {
  return new JsonFields(new TextEncoder().encode(JSON.stringify(fields).slice(1, -1)));
}
