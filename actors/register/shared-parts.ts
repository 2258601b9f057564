/**
 * What a register tells everybody alike, as JSON text. It is put together for the first who asks after a change, and
 * handed to all others as it is.
 */
import { oldestOf } from "../../storage/failures.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";
import { JsonFields } from "../text/json-text.ts";

/** Texts kept at most: most clients of an organization are of two or three kinds. */
const maxTexts = 8;

class SharedParts {
  /** By what is wanted, the one used longest ago first. */
  readonly #texts = new Map<string, JsonFields>();
  #revision = -1;

  /** The fields that `make` makes, as they are now. @param key everything but the organization that they depend on */
  text(state: RealmState, key: string, make: () => object): JsonFields {
    if (state.organizationRevision !== this.#revision) this.#texts.clear();
    this.#revision = state.organizationRevision;
    const kept = this.#texts.get(key);
    this.#texts.delete(key);
    const text = kept ?? encode(make());
    // Where people have to wait to be full members, the clock changes the groups.
    if (state.setting("waiting_period_threshold") !== 0) return text;
    this.#texts.set(key, text);
    if (this.#texts.size > maxTexts) this.#texts.delete(oldestOf(this.#texts));
    return text;
  }
}

/** The memory of each text is its own, not a part of Node's pool: gzip keeps what it made of one by its memory. */
function encode(fields: object): JsonFields {
  return new JsonFields(new TextEncoder().encode(JSON.stringify(fields).slice(1, -1)));
}

/** What a register tells everybody alike. */
export const sharedTexts = defineDerived<SharedParts>({ make: () => new SharedParts(), tables: [] });
