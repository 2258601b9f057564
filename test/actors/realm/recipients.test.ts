import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addSubscriptions, removeSubscriptions } from "../../../actors/channels/changes/subscribers.ts";
import { defaultChannelGroups } from "../../../actors/channels/permission-defaults.ts";
import { updateGroupMembers } from "../../../actors/groups/changes/members.ts";
import type { Command } from "../../../actors/realm/command.ts";
import type { Work } from "../../../actors/realm/commit/work.ts";
import type { Entry, LogEntry } from "../../../actors/realm/entry.ts";
import { currentMemberships, isRecipient, receivedBy, WalkBack } from "../../../actors/realm/recipients.ts";
import { systemGroupNames } from "../../../actors/realm/state/group-index.ts";
import { RealmState } from "../../../actors/realm/state/state.ts";
import { Tx } from "../../../actors/realm/transaction.ts";
import { setTopicPolicy } from "../../../actors/topics/changes/visibility-policies.ts";
import { changeRole } from "../../../actors/users/changes/role.ts";
import { newUserRow } from "../../../actors/users/new-row.ts";
import type { RecipientId } from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { ChannelRow, Role, UserGroupRow } from "../../../storage/rows.ts";

const now = 1_800_000_000;
const userCount = 5;
const groupId = 20;
const channelIds = [1, 2, 3, 4] as const;

/** Five members, two public channels, one private, and one private that members of a group see. */
function makeState(): RealmState {
  const state = new RealmState(1, "http://localhost", () => now);
  const nobody = systemGroupNames.indexOf("role:nobody") + 1;
  const group = (id: number, name: string, isSystem: boolean): UserGroupRow => ({
    id,
    realm_id: 1,
    name,
    description: "",
    creator_id: null,
    date_created: now,
    is_system_group: isSystem,
    deactivated: false,
    can_add_members_group: nobody,
    can_join_group: nobody,
    can_leave_group: nobody,
    can_manage_group: isSystem ? nobody : 1,
    can_mention_group: nobody,
    can_remove_members_group: nobody,
  });
  state.applyRows("realms", [
    {
      id: 1,
      host: null,
      name: "R",
      date_created: now,
      is_deactivated: false,
      uuid: "00000000-0000-4000-8000-000000000000",
      settings: {},
    },
  ]);
  state.applyRows("user_groups", [
    ...systemGroupNames.map((name, index) => group(index + 1, name, true)),
    group(groupId, "watchers", false),
  ]);
  const user = (id: number) =>
    newUserRow({
      id,
      realm_id: 1,
      delivery_email: `u${id}@example.com`,
      full_name: `User ${id}`,
      role: id === 1 ? 100 : 400,
      date_joined: now,
    });
  state.applyRows(
    "users",
    Array.from({ length: userCount }, (_, index) => user(index + 1)),
  );
  const channel = (id: number): ChannelRow => ({
    id,
    realm_id: 1,
    recipient_id: id as RecipientId,
    name: `channel ${id}`,
    description: "",
    rendered_description: "",
    creator_id: null,
    date_created: now,
    invite_only: id > 2,
    is_web_public: false,
    history_public_to_subscribers: true,
    is_archived: false,
    message_retention_days: null,
    topics_policy: "inherit",
    folder_id: null,
    first_message_id: null,
    is_recently_active: true,
    stream_weekly_traffic: null,
    ...defaultChannelGroups((name) => state.systemGroup(name), undefined),
    ...(id === 4 && { can_subscribe_group: groupId }),
  });
  state.applyRows("channels", channelIds.map(channel));
  return state;
}

/** A database in which there are no messages. */
const sql = Object.assign(async () => [], { unsafe: async () => [] }) as unknown as Sql;

const users = fc.uniqueArray(fc.integer({ min: 2, max: userCount }), { minLength: 1, maxLength: userCount });
const channels = fc.uniqueArray(fc.constantFrom(...channelIds), { minLength: 1, maxLength: 4 });
type Step =
  | { does: "join" | "leave"; users: number[]; channels: number[] }
  | { does: "add" | "delete"; users: number[] }
  | { does: "role"; users: number[]; role: Role }
  | { does: "mute"; users: number[]; channels: number[] }
  | { does: "message"; channels: number[] };
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constantFrom("join" as const, "leave" as const), users, channels }),
  fc.record({ does: fc.constantFrom("add" as const, "delete" as const), users }),
  fc.record({ does: fc.constant("role" as const), users, role: fc.constantFrom<Role>(200, 400, 600) }),
  fc.record({ does: fc.constant("mute" as const), users, channels }),
  fc.record({ does: fc.constant("message" as const), channels }),
);

async function run<A>(tx: Tx, command: Command<A, unknown>, args: A): Promise<void> {
  const work = (await command({} as never, args)) as Work<unknown>;
  await work.decide(tx);
}

async function decide(tx: Tx, step: Step): Promise<void> {
  const { state } = tx;
  const rows = "channels" in step ? step.channels.map((id) => state.channels.get(id)!) : [];
  switch (step.does) {
    case "join":
      return addSubscriptions(
        tx,
        rows.map((channel) => ({ channel, userIds: step.users })),
      );
    case "leave":
      return removeSubscriptions(
        tx,
        rows.map((channel) => ({ channel, userIds: step.users })),
      );
    case "add":
    case "delete": {
      const ids = step.users.filter((id) => state.groups.hasDirectMember(groupId, id) === (step.does === "delete"));
      const change = { userId: 1, groupId, add: [], delete: [], addSubgroups: [], deleteSubgroups: [] };
      return run(tx, updateGroupMembers, { ...change, [step.does]: ids });
    }
    case "role":
      changeRole(tx, state.users.get(step.users[0]!)!, step.role);
      return;
    case "mute":
      for (const channel of rows)
        if (state.subscriptions.has(step.users[0]!, channel.id))
          await run(tx, setTopicPolicy, { userId: step.users[0]!, channelId: channel.id, topic: "t", policy: 1 });
      return;
    case "message":
      for (const { id } of rows)
        tx.event({ type: "default_streams", default_streams: [id] }, { to: "subscribers", channelId: id });
  }
}

/** Applies the entries one by one, and notes for each who gets it at that moment, as queues do. */
function deliver(state: RealmState, entries: readonly Entry[], log: LogEntry[], got: Map<number, number[]>): void {
  for (const entry of entries) {
    state.apply(entry.changes ?? []);
    state.position++;
    log.push({ ...entry, position: state.position, bytes: 0 });
    if (!entry.event || !entry.audience) continue;
    for (const user of state.users.values()) {
      if (isRecipient(state, entry.audience, user, currentMemberships(state, user)))
        got.set(user.id, [...(got.get(user.id) ?? []), state.position]);
    }
  }
}

describe("what a queue reads back from the log", () => {
  it("is what its user was sent as it happened, whatever they joined and left", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 12 }), async (all) => {
        const state = makeState();
        const log: LogEntry[] = [];
        const got = new Map<number, number[]>();
        for (const step of all) {
          const tx = new Tx(state, sql, now, () => 0);
          await decide(tx, step);
          deliver(state, tx.finish(), log, got);
        }
        for (const user of state.users.values()) {
          const read = receivedBy(state, log, user, false).map(({ position }) => position);
          expect([user.id, read]).toEqual([user.id, got.get(user.id) ?? []]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is the same when it is read in slices, and the log goes on meanwhile", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(steps, { maxLength: 8 }),
        fc.array(steps, { maxLength: 8 }),
        fc.nat(),
        async (before, meanwhile, cut) => {
          const state = makeState();
          const log: LogEntry[] = [];
          const got = new Map<number, number[]>();
          const go = async (all: typeof before) => {
            for (const step of all) {
              const tx = new Tx(state, sql, now, () => 0);
              await decide(tx, step);
              deliver(state, tx.finish(), log, got);
            }
          };
          await go(before);
          const rested = log.length;
          const middle = cut % (rested + 1);
          const walks = [...state.users.values()].map((user) => {
            const walk = new WalkBack(state, user.id, false);
            return { id: user.id, walk, upper: walk.over(log.slice(middle)) };
          });
          await go(meanwhile);
          for (const { id, walk, upper } of walks) {
            const newest = walk.overNewer(log.slice(rested));
            const read = [...walk.over(log.slice(0, middle)), ...upper, ...newest].map(({ position }) => position);
            expect([id, read]).toEqual([id, got.get(id) ?? []]);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
