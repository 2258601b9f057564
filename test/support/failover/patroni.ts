/** Three PostgreSQLs under Patroni, and what may happen to their leader. */
import { chown, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { postgresAccount } from "../../../storage/embedded-postgres/account.ts";
import { dataFolder } from "../server/folder.ts";
import { startTcpProxy, type TcpProxy } from "../server/tcp-proxy.ts";
import { until } from "../time/until.ts";
import { startEtcd, type TestEtcd } from "./etcd.ts";
import { type DatabaseFront, startDatabaseFront } from "./haproxy.ts";
import { Member } from "./member.ts";

const memberCount = 3;
/** Patroni looks every two seconds, waits twenty for a leader that says nothing, and rewinds. */
const patienceMs = 240_000;
/** All members have heard by then that they are to do nothing, and the lock of a leader that died is not kept. */
const pausedMs = 10_000;

export class Patroni {
  readonly members: Member[] = [];
  /** How each client reaches each member. */
  readonly wires: TcpProxy[][] = [];
  readonly #fronts: DatabaseFront[] = [];

  private constructor(
    private readonly folder: string,
    readonly etcd: TestEtcd,
  ) {}

  /** @param isStrict no commit is confirmed that no standby has, also while there is none */
  static async start(isStrict: boolean): Promise<Patroni> {
    const folder = await dataFolder("patroni");
    const account = await postgresAccount(folder, () => {});
    const etcd = await startEtcd(folder);
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    const patroni = new Patroni(folder, etcd);
    try {
      for (let number = 1; number <= memberCount; number++) {
        const options = { name: `m${number}`, folder, account, etcdPort: etcd.port, isStrict };
        patroni.members.push(await Member.start(options));
        // The first one becomes the leader.
        if (number === 1) await until("a leader", async () => (await patroni.leader()) !== undefined, patienceMs);
      }
      await patroni.settle();
      await (await patroni.leader())!.ask("create database parley");
    } catch (error) {
      console.log(patroni.members.map(({ name, output }) => `${name}: ${output.slice(-6000)}`).join("\n"));
      await patroni.stop();
      throw error;
    }
    return patroni;
  }

  /**
   * An address with all members, by wires of a client's own.
   * @param isBehindProxy that of an HAProxy, which knows who leads
   */
  async urlForClient(isBehindProxy: boolean): Promise<string> {
    const wires = await Promise.all(this.members.map(({ port }) => startTcpProxy(port)));
    this.wires.push(wires);
    if (!isBehindProxy) return urlOf(wires);
    const backends = wires.map(({ port }, index) => ({ port, restPort: this.members[index]!.restPort }));
    const front = await startDatabaseFront(this.folder, backends);
    this.#fronts.push(front);
    const url = urlOf([front]);
    // Until it has asked, HAProxy takes all for leaders, and leads to one after the other.
    await until("HAProxy to know who leads", async () => {
      for (let count = 0; count < 3 * memberCount; count++) if (!(await leads(url))) return false;
      return true;
    });
    return url;
  }

  /** The member that may be written to, and holds etcd's lock as far as it knows. */
  async leader(): Promise<Member | undefined> {
    const answers = await Promise.all(
      this.members.map((member) =>
        member.rest("/primary").then(
          ({ status }) => status === 200,
          () => false,
        ),
      ),
    );
    return this.members[answers.indexOf(true)];
  }

  /** Waits until the leader is one, and the others follow it closely. */
  async settle(): Promise<void> {
    await until(
      "a leader and two that stream from it",
      async () => {
        const leader = await this.leader();
        const rows = await leader
          ?.ask<{ count: string }>(
            "select count(*) from pg_stat_replication where state = 'streaming' and sync_state = 'quorum'",
          )
          .catch(() => undefined);
        return Number(rows?.[0]?.count) === memberCount - 1;
      },
      patienceMs,
    );
  }

  /** Waits until another member than this one leads. */
  async follow(old: Member): Promise<void> {
    await until(
      `another leader than ${old.name}`,
      async () => {
        const leader = await this.leader();
        return leader !== undefined && leader !== old;
      },
      patienceMs,
    );
  }

  /** Has another member lead, in good order. */
  async switchover(): Promise<void> {
    const leader = (await this.leader())!;
    const candidate = this.members.find((member) => member !== leader)!;
    const { status, text } = await leader.rest("/switchover", { leader: leader.name, candidate: candidate.name });
    if (status !== 200) throw new Error(`no switchover: ${text}`);
    await this.follow(leader);
  }

  /** The leader dies; its machine comes back when another leads. */
  async kill(what: "PostgreSQL" | "machine"): Promise<void> {
    const leader = (await this.leader())!;
    await leader.kill(what);
    await this.follow(leader);
    if (what === "machine") leader.run();
  }

  /** The leader sleeps until another leads. */
  async pauseLeader(): Promise<void> {
    const leader = (await this.leader())!;
    await leader.pause("SIGSTOP");
    await this.follow(leader);
    await sleep(2000);
    await leader.pause("SIGCONT");
  }

  /** The leader dies while an operator has told Patroni to do nothing by itself, until they let it go on. */
  async killWhilePaused(): Promise<void> {
    const leader = (await this.leader())!;
    await this.#configure({ pause: true });
    await leader.kill("PostgreSQL");
    await sleep(pausedMs);
    await this.#configure({ pause: false });
    await this.follow(leader);
  }

  async #configure(settings: object): Promise<void> {
    const other = this.members[0]!;
    const { status, text } = await other.rest("/config", settings, "PATCH");
    if (status !== 200) throw new Error(`no other settings: ${text}`);
  }

  /** The leader is cut off with what no other has, and comes back: its data have to be wound back. */
  async leadAhead(): Promise<void> {
    const leader = (await this.leader())!;
    const { rewinds } = leader;
    await this.partition(leader, async () => {
      await leader.ask("select pg_logical_emit_message(false, 'ahead', repeat('x', 100000)), pg_switch_wal()");
    });
    await until("the old leader to be rewound", () => leader.rewinds > rewinds, patienceMs);
  }

  /** The leader, and the first client with it, are cut off from etcd, the others and their clients. */
  async partition(leader?: Member, meanwhile = async () => {}): Promise<void> {
    leader ??= (await this.leader())!;
    const index = this.members.indexOf(leader);
    const cut = [leader.etcd, leader.peers];
    for (const [client, wires] of this.wires.entries())
      cut.push(...wires.filter((_, member) => (member === index) !== (client === 0)));
    for (const wire of cut) wire.hang();
    try {
      await meanwhile();
      await this.follow(leader);
      await sleep(3000);
    } finally {
      for (const wire of cut) wire.restore();
    }
  }

  /** Nobody can say who leads for `forMs`, and the leader stops to be one. */
  async stopEtcd(forMs: number): Promise<void> {
    this.etcd.signal("SIGSTOP");
    await sleep(forMs);
    this.etcd.signal("SIGCONT");
    await until("a leader", async () => (await this.leader()) !== undefined, patienceMs);
  }

  async stop(): Promise<void> {
    this.etcd.signal("SIGCONT");
    await Promise.all(this.members.map((member) => member.stop()));
    await Promise.all([...this.#fronts, ...this.wires.flat()].map((one) => one.stop()));
    await this.etcd.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const urlOf = (hosts: readonly { port: number }[]) =>
  `postgres://postgres@${hosts.map(({ port }) => `127.0.0.1:${port}`).join(",")}/parley`;

/** Whether the PostgreSQL at this address takes changes. */
async function leads(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, fetch_types: false, connect_timeout: 2, onnotice: () => {} });
  try {
    const [row] = await sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`;
    return row?.isStandby === false;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 });
  }
}
