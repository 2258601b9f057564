/**
 * Large answers are composed first come, first served. So many are under way at once, from before they are composed
 * until their bytes are at the socket. When everybody comes back after a restart, memory does not grow with the crowd.
 * Whoever waits costs no more than a request.
 *
 * The first two answers after a start make what all others share. Until one of them is out, or is long in coming,
 * nobody else takes processor time from them: what two dozen began at once would all be late.
 *
 * A place goes to the next after a while when its answer is not made, or not read. So a database that is away, an
 * organization that is being loaded and a slow reader keep nobody waiting. What is not read stays in `AnswerBudget`.
 */
import { ApiError, errors } from "../../actors/errors.ts";

export interface AdmissionLimits {
  /** Answers under way. */
  answers: number;
  /** Bytes of them that no other answer shares. */
  bytes: number;
  /** Requests that wait for their turn. */
  waiting: number;
  /** For how long an answer keeps its place until it is made, and then until it is read. */
  patienceMs: number;
}

/** Whoever asks for a large answer. */
export interface Visitor {
  readonly isGone: boolean;
  /** Calls back once, when its answer is at the socket or it has gone. */
  onEnd(ended: () => void): void;
}

/** The seconds after which a request that found no room is to come again, so that not all come at once. */
const leastRetrySecs = 5;
const mostRetrySecs = 60;
/** Answers under way while none was made yet. Two: one may be of somebody slow. */
const firstAnswers = 2;
/** How much the newest answer counts in the size that is expected of the next. */
const newestWeight = 1 / 8;

interface Waiting {
  visitor: Visitor;
  admit(place: Place | undefined): void;
}

export class Admission {
  /** In the order in which they came, from `#first` on. */
  #waiting: (Waiting | undefined)[] = [];
  #first = 0;
  #underWay = 0;
  /** Bytes that an answer is expected to have for itself. */
  #expected = 0;
  /** A first answer was made, or is not to be waited for: its organization may be away, and others are not. */
  #hasBegun = false;

  constructor(readonly limits: AdmissionLimits) {}

  /** Answers under way. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Requests that wait. */
  get waiting(): number {
    return this.#waiting.length - this.#first;
  }

  /**
   * A place, in turn. It ends with the visitor's answer. Undefined: the visitor has gone meanwhile.
   *
   * @throws SERVICE_UNAVAILABLE when too many wait
   */
  enter(visitor: Visitor): Promise<Place | undefined> {
    if (this.waiting >= this.limits.waiting) return Promise.reject(this.#refusal());
    return new Promise((admit) => {
      this.#waiting.push({ visitor, admit });
      this.#admitNext();
    });
  }

  #admitNext(): void {
    while (this.waiting > 0 && this.#hasRoom()) {
      const { visitor, admit } = this.#waiting[this.#first]!;
      this.#waiting[this.#first++] = undefined;
      if (visitor.isGone) {
        admit(undefined);
        continue;
      }
      this.#underWay++;
      const place = new Place(this.limits.patienceMs, (bytes, isLate) => this.#leave(bytes, isLate));
      visitor.onEnd(() => place.leave());
      admit(place);
    }
    if (this.#first < this.#waiting.length / 2) return;
    this.#waiting = this.#waiting.slice(this.#first);
    this.#first = 0;
  }

  #hasRoom(): boolean {
    const { bytes } = this.limits;
    const answers = this.#hasBegun ? this.limits.answers : Math.min(firstAnswers, this.limits.answers);
    return this.#underWay === 0 || (this.#underWay < answers && (this.#underWay + 1) * this.#expected <= bytes);
  }

  #leave(bytes: number | undefined, isLate: boolean): void {
    this.#underWay--;
    this.#hasBegun ||= bytes !== undefined || isLate;
    if (bytes !== undefined) this.#expected += (bytes - this.#expected) * (bytes > this.#expected ? 1 : newestWeight);
    this.#admitNext();
  }

  #refusal(): ApiError {
    const secs = leastRetrySecs + Math.floor(Math.random() * (mostRetrySecs - leastRetrySecs + 1));
    const { status, code, message } = errors.SERVICE_UNAVAILABLE("Too many ask for everything at once. Come again.");
    return new ApiError(status, code, message, { "retry-after": secs });
  }
}

/** The place of one answer. */
export class Place {
  #bytes: number | undefined;
  readonly #patience: NodeJS.Timeout;
  #isLeft = false;

  constructor(
    patienceMs: number,
    private readonly left: (bytes: number | undefined, isLate: boolean) => void,
  ) {
    this.#patience = setTimeout(() => this.leave(true), patienceMs).unref();
  }

  /** The answer is made, with so many bytes of its own, and goes out as fast as its client reads. */
  composed(bytes: number): void {
    this.#bytes = bytes;
    if (!this.#isLeft) this.#patience.refresh();
  }

  leave(isLate = false): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    clearTimeout(this.#patience);
    this.left(this.#bytes, isLate);
  }
}
