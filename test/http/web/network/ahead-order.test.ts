/** In which order changes ahead of the server, its answers and its events come, and what is shown then. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ClientEvent } from "../../../../http/client/events.ts";
import { Ahead, type Change } from "../../../../http/web/model/ahead.ts";

/** A setting as a page shows it. Others change it by another device. */
function page() {
  const shown = { value: "a" };
  const told = (value: string) => ({ id: -1, type: "user_settings" as const, op: "update", property: "p", value });
  const apply = (events: readonly ClientEvent[]) => {
    for (const event of events) shown.value = (event as ReturnType<typeof told>).value;
  };
  const ahead = new Ahead(apply);
  const answers: ((taken: boolean | Error) => void)[] = [];
  const change = (to: string) => {
    const change: Change<string> = { of: "p", from: shown.value, to, told };
    return ahead.change(
      change,
      () =>
        new Promise<object | undefined>((resolve, reject) =>
          answers.push((taken) => (taken instanceof Error ? reject(taken) : resolve(taken ? {} : undefined))),
        ),
    );
  };
  const events = (...values: string[]) => {
    const of = values.map((value) => ({ ...told(value), id: 7 }));
    apply(of);
    ahead.follow(of);
  };
  /** Answers the request that is under way. */
  const answer = async (taken: boolean | Error) => {
    await vi.waitUntil(() => answers.length > 0);
    answers.shift()!(taken);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  return { shown, ahead, answers, change, events, answer };
}

afterEach(() => void vi.useRealTimers());

describe("changes ahead of the server", () => {
  it("an event of an earlier change does not come back, though both were answered before it", async () => {
    const { shown, change, events, answer } = page();
    void change("b");
    await answer(true);
    void change("c");
    await answer(true);
    events("b");
    expect(shown.value).toBe("c");
    events("c");
    events("d");
    expect(shown.value).toBe("d");
  });

  it("what another device does after the server told of a change is shown, answered or not", async () => {
    const { shown, change, events, answer } = page();
    void change("b");
    events("b", "c");
    expect(shown.value).toBe("c");
    events("d");
    expect(shown.value).toBe("d");
    await answer(true);
    expect(shown.value).toBe("d");
  });

  it("goes back to what the server took last", async () => {
    const { shown, change, events, answer } = page();
    void change("b");
    void change("c");
    await answer(true);
    await answer(false);
    expect(shown.value).toBe("b");
    events("b");
    expect(shown.value).toBe("b");
  });

  it("the first is refused and the second taken: the second stays", async () => {
    const { shown, change, answer } = page();
    void change("b");
    void change("c");
    await answer(false);
    expect(shown.value).toBe("c");
    await answer(true);
    expect(shown.value).toBe("c");
  });

  it("one request at a time, and the next one after a lost answer, too", async () => {
    const { shown, answers, change, answer } = page();
    const lost = expect(change("b")).rejects.toThrow("lost");
    void change("c");
    await vi.waitUntil(() => answers.length > 0);
    expect(answers).toHaveLength(1);
    await answer(new Error("lost"));
    await lost;
    await answer(true);
    expect(shown.value).toBe("c");
  });

  it("a state that was fetched anew stays, whatever is answered", async () => {
    const { shown, ahead, change, events, answer } = page();
    void change("b");
    shown.value = "b";
    ahead.forget();
    await answer(false);
    expect(shown.value).toBe("b");
    events("c");
    expect(shown.value).toBe("c");
  });

  it("of what was none no event tells: what others did meanwhile is shown after a while", async () => {
    const { shown, change, events, answer } = page();
    void change("b");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await answer(true);
    events("c");
    expect(shown.value).toBe("b");
    vi.advanceTimersByTime(10_000);
    expect(shown.value).toBe("c");
    events("d");
    expect(shown.value).toBe("d");
  });
});
