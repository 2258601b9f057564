import { beforeAll, describe, expect, it, vi } from "vitest";
import { type ApiResponse, expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const { owner } = server;
const [mia, gwen, gone] = server.people("Mia Member", ["Gwen Guest", 600], "Gone Gustav");
const hall = server.channel("hall", [owner, mia]);
beforeAll(setUp);

describe("an error is told and nothing else", () => {
  it("a bug answers 500, says nothing of itself, and the next request is served", async () => {
    const { system, log } = server.server.app;
    const silenced = vi.spyOn(log, "error").mockReturnValue(undefined);
    const broken = vi.spyOn(system, "readyRealm").mockImplementationOnce(() => {
      throw new Error("a secret detail");
    });
    const answer = await owner.client.get("/users/me");
    broken.mockRestore();
    silenced.mockRestore();
    expect(expectError(answer, 500)["code"]).toBe("INTERNAL_SERVER_ERROR");
    expect(answer.text).not.toContain("secret");
    expectSuccess(await owner.client.get("/users/me"));
  });
});

let message: number;
/** Changes who has a permission of the organization. */
async function setHolders(permission: string, group: string): Promise<void> {
  const state = await server.state();
  const value = { new: state.groups.findByName(group)!.id };
  await owner.setRealm({ [permission]: value });
}
const setAdders = (group: string) => setHolders("can_add_subscribers_group", group);
const setInviters = (group: string) => setHolders("create_multiuse_invite_group", group);
/** Calls that the table of the specification answers with BAD_REQUEST. */
const refused: [when: string, call: () => Promise<ApiResponse>, says: RegExp][] = [
  [
    "invalid folder ID",
    () => owner.client.patch("/channel_folders/999999", { name: "n" }),
    /invalid channel folder id/i,
  ],
  ["invalid message ID", () => mia.client.get("/messages/999999/history"), /invalid message/i],
  ["a message to delete that does not exist", () => mia.client.delete("/messages/999999"), /invalid message/i],
  ["no permission to delete a message", () => mia.client.delete(`/messages/${message}`), /permission to delete/],
  ["insufficient permission to invite", () => mia.client.post("/invites/multiuse"), /permission/],
  [
    "invalid channel ID in invitation",
    () => owner.client.post("/invites/multiuse", { stream_ids: [999_999] }),
    /invalid channel id.*no invites were sent/i,
  ],
  [
    "no permission to subscribe others",
    async () => {
      // Whoever administers a channel may subscribe others to it in any case.
      await setInviters("role:members");
      await setAdders("role:nobody");
      const answer = await mia.client.post("/invites/multiuse", { stream_ids: [hall.id] });
      await setAdders("role:members");
      await setInviters("role:administrators");
      return answer;
    },
    /permission to subscribe other/,
  ],
  [
    "blank fragment",
    () => mia.client.post("/navigation_views", { fragment: " ", is_pinned: true }),
    /fragment cannot be blank/,
  ],
  [
    "email already in use",
    () => owner.client.post("/users", { email: mia.email, password: "a fine password", full_name: "Other" }),
    /already in use/,
  ],
  ["guest made administrator", () => owner.client.patch(`/users/${gwen.id}`, { role: 200 }), /guests cannot/i],
  [
    "channel draft without exactly one channel ID",
    () => mia.client.post("/drafts", { drafts: [{ type: "stream", to: [], topic: "t", content: "c" }] }),
    /exactly 1 channel/,
  ],
  [
    "missing moderation request channel",
    () => mia.client.post(`/messages/${message}/report`, { report_type: "spam" }),
    /moderation request channel/i,
  ],
  [
    "unsubscribing a deactivated user",
    () => owner.client.delete("/users/me/subscriptions", { subscriptions: ["hall"], principals: [gone.id] }),
    /./,
  ],
  [
    "unsubscribing a nonexistent user",
    () => owner.client.delete("/users/me/subscriptions", { subscriptions: ["hall"], principals: [999_999] }),
    /./,
  ],
];

describe("BAD_REQUEST, HTTP 400", () => {
  it.each(refused)("%s", async (_when, call, says) => {
    const error = expectError(await call(), 400, "BAD_REQUEST");
    expect(error["msg"]).toMatch(says);
    expect(Object.keys(error).sort()).toEqual(["code", "msg", "result"]);
  });
});

async function setUp(): Promise<void> {
  const sent = { type: "channel", to: hall.id, topic: "t", content: "hello" };
  message = expectSuccess(await owner.client.post("/messages", sent))["id"] as number;
  expectSuccess(await owner.client.delete(`/users/${gone.id}`));
}
