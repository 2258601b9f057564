/**
 * A request during which its organization is moved to another database. What it read may have been half gone: then
 * somebody is a stranger, a file never was, a list is empty. So it is asked again where the organization is now, unless
 * it has changed something. What it has changed came along.
 */
import { ApiError, errors } from "../../../actors/errors.ts";
import type { ArgsOf, CommandName, ReplyOf } from "../../../actors/realm/command.ts";
import type { Origin } from "../../../actors/realm/commit/audit.ts";
import type { Realm } from "../../../actors/realm/realm.ts";
import { RequestRealm, type ServedRealm } from "../../../actors/realm/served.ts";
import { MissingReference, RealmGone, translate } from "../../../storage/postgres.ts";

interface Movable {
  readonly hasSeveral: boolean;
  mayMove(realm: ServedRealm): boolean;
  movedTo(realm: ServedRealm, host: string, thrown: unknown): Promise<Realm | undefined>;
}

/** Knows whether a request has changed anything. */
class MovableRealm extends RequestRealm {
  hasChanged = false;

  constructor(realm: Realm) {
    super(realm, () => ({ via: "nobody" }));
  }

  override async execute<N extends CommandName>(name: N, args: ArgsOf<N>, from?: Origin): Promise<ReplyOf<N>> {
    const reply = await this.whole.execute(name, args, from);
    this.hasChanged = true;
    return reply;
  }
}

/** @param isStream its body comes as a stream, which is gone when it was read */
export async function askAgainIfMoved<T>(
  system: Movable,
  { host, method }: { host: string; method: string },
  { realm, isStream }: { realm: Realm; isStream: boolean },
  ask: (realm: Realm, served: ServedRealm) => Promise<T>,
): Promise<T> {
  if (!system.hasSeveral) return ask(realm, realm);
  const watched = new MovableRealm(realm);
  let answered: { answer: T } | undefined;
  let thrown: unknown;
  try {
    const answer = await ask(realm, watched);
    if (watched.hasChanged || isStream || !system.mayMove(realm)) return answer;
    answered = { answer };
  } catch (error) {
    if (watched.hasChanged) throw error;
    thrown = translate(error);
  }
  const moved = await system.movedTo(realm, host, thrown);
  if (!moved && answered) return answered.answer;
  if (!moved) throw thrown;
  if (answered) return ask(moved, moved);
  if (!isStream && (method === "GET" || hasDoneNothing(thrown))) return ask(moved, moved);
  if (!isStream && thrown instanceof ApiError) throw thrown;
  throw errors.SERVICE_UNAVAILABLE("The organization was moved to another database meanwhile: ask again.");
}

/** Who is refused has changed nothing. What failed otherwise may have. */
const hasDoneNothing = (thrown: unknown): boolean =>
  thrown instanceof ApiError ? thrown.status < 500 : thrown instanceof RealmGone || thrown instanceof MissingReference;
