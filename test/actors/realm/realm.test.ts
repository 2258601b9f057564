/** What becomes of a realm that is dropped while it is loaded. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { localCoordination } from "../../../actors/cluster/local.ts";
import type { Coordination, Membership } from "../../../actors/realm/coordination.ts";
import type { RealmEnvironment } from "../../../actors/realm/environment.ts";
import { Realm } from "../../../actors/realm/realm.ts";
import { storedRealm } from "../../support/rooms/stored-realm.ts";
import { until } from "../../support/time/until.ts";

const stored = storedRealm();
const unusedSecs = 60;

/** A realm, and the memberships that it asked for, none of which it has before it is given one. */
function joiningRealm() {
  const joins: ((membership: Membership) => void)[] = [];
  const coordination: Coordination = {
    ...localCoordination(),
    join: () => new Promise((resolve) => joins.push(resolve)),
  };
  const log = { info() {}, warn() {}, error() {} };
  const environment = {
    database: stored.database,
    coordination,
    log,
    clock: () => stored.now,
    steady: () => 0,
    urlOf: () => "http://localhost",
    limits: { recent: { entries: 100, bytes: 100_000 }, commandDeadlineMs: 60_000, realmIdleAfterSecs: unusedSecs },
  } as unknown as RealmEnvironment;
  realm = new Realm(stored.realmId, null, environment, { commands: {}, memories: [], audits: {} });
  return { realm, joins };
}

function membershipOf(positions: number) {
  const release = vi.fn(async () => {});
  return { membership: { lag: () => ({ positions, ms: 0 }), release } as unknown as Membership, release };
}

let realm: Realm;
afterEach(() => realm.stop());

describe("a realm that is dropped while it joins the other nodes", () => {
  const dropWhileJoining = async () => {
    const { realm, joins } = joiningRealm();
    const loading = realm.activate();
    await until("it to join", () => joins.length === 1);
    realm.sweep(unusedSecs);
    realm.sweep(2 * unusedSecs);
    expect(realm.status).toBe("passivated");
    return { realm, joins, loading };
  };

  it("keeps no membership, which would hold the lease for ever", async () => {
    const { realm, joins, loading } = await dropWhileJoining();
    const { membership, release } = membershipOf(7);
    joins[0]!(membership);
    await until("the membership to be given up", () => release.mock.calls.length > 0);
    expect(realm.lag().positions).toBe(0);
    await until("it to be loaded again", () => joins.length > 1);
    joins[1]!(membershipOf(3).membership);
    await loading;
    expect(realm.lag().positions).toBe(3);
  });

  it("keeps the membership of the load that came after, whichever is there first", async () => {
    const { realm, joins, loading } = await dropWhileJoining();
    const again = realm.activate();
    await until("it to join again", () => joins.length === 2);
    const [late, newer] = [membershipOf(7), membershipOf(3)];
    joins[1]!(newer.membership);
    await again;
    joins[0]!(late.membership);
    await loading;
    await until("the late membership to be given up", () => late.release.mock.calls.length > 0);
    expect(realm.lag().positions).toBe(3);
    expect(newer.release).not.toHaveBeenCalled();
    expect(realm.isReady).toBe(true);
  });

  it("has no membership when it was stopped meanwhile", async () => {
    const { realm, joins } = joiningRealm();
    const loading = realm.activate();
    await until("it to join", () => joins.length === 1);
    await realm.stop();
    const { membership, release } = membershipOf(7);
    joins[0]!(membership);
    await loading;
    expect(release).toHaveBeenCalledTimes(1);
  });
});

it("a load that is dropped ends at once: whoever waits for the realm has the next one", async () => {
  const { realm, joins } = joiningRealm();
  const { database } = stored;
  const waiting = () => database.sql<{ pid: number }[]>`
    select pid from pg_locks where relation = 'linkifiers'::regclass and not granted`;
  let loading: Promise<void> | undefined;
  await database.transaction(async (sql) => {
    await sql`lock table linkifiers in access exclusive mode`;
    loading = realm.activate();
    await until("the load to wait", async () => (await waiting()).length === 1);
    const [first] = await waiting();
    realm.mayLack("promoted");
    await until("the next one alone to wait", async () => {
      const now = await waiting();
      return now.length === 1 && now[0]!.pid !== first!.pid;
    });
  });
  await until("it to join", () => joins.length === 1);
  joins[0]!(membershipOf(3).membership);
  await loading;
  expect(realm.status).toBe("following");
});
