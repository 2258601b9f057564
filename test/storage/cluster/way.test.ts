import { describe, expect, it } from "vitest";
import type { MessageNature } from "../../../storage/cluster/bus.ts";
import { mailedMs, type PeerFacts, type PeerState, peerState, stepWay } from "../../../storage/cluster/way.ts";

const facts: PeerFacts = { isConnected: true, isDoubted: false, lackedAt: undefined };
const now = 1_000_000;
const send = (state: PeerState, nature: MessageNature) => stepWay(state, { type: "send", nature });

describe("the state of a peer", () => {
  it("W1 is lost while this node has no connection to Redis, whatever else is known", () => {
    expect(peerState({ ...facts, isConnected: false, isDoubted: true, lackedAt: now }, now)).toBe("lost");
  });

  it("W2 is doubted while Redis is silent, whatever the peer said", () => {
    expect(peerState({ ...facts, isDoubted: true, lackedAt: now }, now)).toBe("doubted");
  });

  it("W3 is mail for a while after the peer said that it lacks Redis", () => {
    expect(peerState({ ...facts, lackedAt: now - mailedMs + 1 }, now)).toBe("mail");
    expect(peerState({ ...facts, lackedAt: now - mailedMs }, now)).toBe("redis");
  });

  it("W4 is redis otherwise", () => {
    expect(peerState(facts, now)).toBe("redis");
  });
});

describe("the way of a message", () => {
  it("W5 is Redis where nothing speaks against it", () => {
    expect([send("redis", "plain"), send("redis", "answer")]).toEqual([["publish"], ["publish"]]);
  });

  it("W6 is the mailbox of a peer that lacks Redis, and does not ask for mail back", () => {
    expect([send("mail", "plain"), send("mail", "answer")]).toEqual([["post"], ["post"]]);
  });

  it("W7 is the mailbox while this node lacks Redis, and asks for mail back", () => {
    for (const state of ["doubted", "lost"] as const)
      expect([send(state, "plain"), send(state, "answer")]).toEqual([["postLackingRedis"], ["postLackingRedis"]]);
  });

  it("W8 is every way for a repeat", () => {
    expect([send("redis", "repeat"), send("mail", "repeat")]).toEqual([
      ["post", "publish"],
      ["post", "publish"],
    ]);
  });

  it("W9 is every way for a repeat while Redis is in doubt, since it may only be slow", () => {
    expect(send("doubted", "repeat")).toEqual(["postLackingRedis", "publish"]);
  });

  it("W10 is the mailbox alone for a repeat without a connection", () => {
    expect(send("lost", "repeat")).toEqual(["postLackingRedis"]);
  });

  it("W11 is the mailbox as well for an answer that Redis is late to confirm", () => {
    expect(stepWay("redis", { type: "publish.late", nature: "answer" })).toEqual(["postLackingRedis"]);
  });

  it("W12 is the mailbox for an answer that nobody listened for", () => {
    expect(stepWay("redis", { type: "publish.unheard", nature: "answer" })).toEqual(["post"]);
  });

  it("W13 is the mailbox for an answer that Redis may have taken", () => {
    for (const isCertain of [true, false])
      expect(stepWay("redis", { type: "failed", nature: "answer", isCertain })).toEqual(["postLackingRedis"]);
  });

  it("W14 is the mailbox for a plain message that certainly never left", () => {
    expect(stepWay("redis", { type: "failed", nature: "plain", isCertain: true })).toEqual(["postLackingRedis"]);
  });

  it("ends there in every other case: nothing is sent that may come twice", () => {
    const after = (["redis", "mail", "doubted", "lost"] as const).flatMap((state) =>
      (["plain", "answer", "repeat"] as const).flatMap((nature) =>
        [
          { type: "publish.late", nature } as const,
          { type: "publish.unheard", nature } as const,
          { type: "failed", nature, isCertain: false } as const,
          { type: "failed", nature, isCertain: true } as const,
        ]
          .filter((event) => stepWay(state, event).length > 0)
          .map((event) => `${state} ${nature} ${event.type}`),
      ),
    );
    expect(new Set(after)).toEqual(
      new Set([
        "redis answer publish.late",
        "redis answer publish.unheard",
        "redis answer failed",
        "redis plain failed",
      ]),
    );
  });
});
