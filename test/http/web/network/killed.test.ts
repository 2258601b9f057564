/**
 * The server dies in the middle of what a person does, at the request itself. It dies before the request came there, or
 * after it was done and before its answer. It is started again: nothing is missing, doubled or out of order at either
 * of two people, and what was typed is still there.
 */
import { describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { mortalServer } from "../../../support/web/mortal-server.ts";
import { composeBox, messageWith, openMessageMenu, send } from "../../../support/web/page.ts";

const waiting = { timeout: 3 * patienceMs };
const topic = (name: string) => `/#narrow/channel/general/topic/${name}`;

describe.skipIf(!browserPath)("a server that dies in the middle", { timeout: 600_000 }, () => {
  const server = mortalServer(topic("crash").slice(1));
  /** The texts of the open conversation, at both people. */
  const expectTexts = async (expected: readonly string[]) => {
    for (const page of server.pages) {
      const texts = async () => {
        const all = await page.locator(".message:not(.pending) .content").allInnerTexts();
        const pending = await page.locator(".message.pending .content").allInnerTexts();
        return { texts: all.map((text) => text.trim()), pending };
      };
      await expect.poll(texts, waiting).toEqual({ texts: expected, pending: [] });
    }
  };
  const sends = { method: "POST", path: /\/json\/messages$/ };
  const ofMessage = (method: string, rest = "") => ({ method, path: new RegExp(`/json/messages/\\d+${rest}$`) });

  it("sending: the message is there once, wherever the server died", async () => {
    const [ada, grace] = server.pages;
    await send(grace, "one");
    await messageWith(ada, "one").waitFor(waiting);
    await server.killAt(ada, sends, "unanswered", () => send(ada, "two"));
    await expectTexts(["one", "two"]);
    await server.killAt(ada, sends, "unheard", () => send(ada, "three"));
    await expectTexts(["one", "two", "three"]);
    await send(grace, "four");
    await expectTexts(["one", "two", "three", "four"]);
  });

  it("editing: what was typed stays until it is saved", async () => {
    const [ada] = server.pages;
    await openMessageMenu(ada, messageWith(ada, "two"), "Edit");
    await ada.getByLabel("Edit message").fill("two, and more");
    const save = () => ada.getByRole("button", { name: "Save", exact: true }).click();
    await server.killAt(ada, ofMessage("PATCH"), "unheard", save);
    expect(await ada.getByLabel("Edit message").inputValue()).toBe("two, and more");
    await server.killAt(ada, ofMessage("PATCH"), "unanswered", save);
    await save();
    await expectTexts(["one", "two, and more", "three", "four"]);
  });

  it("reactions and stars: one each", async () => {
    const [ada, grace] = server.pages;
    const message = messageWith(ada, "four");
    await message.hover();
    await message.getByRole("button", { name: "Add a reaction" }).first().click();
    await ada.getByRole("searchbox", { name: "Search" }).last().fill("tada");
    await server.killAt(ada, ofMessage("POST", "/reactions"), "unanswered", () =>
      ada.getByRole("button", { name: "tada", exact: true }).click(),
    );
    await messageWith(grace, "four").getByRole("button", { name: "Ada reacted with :tada:" }).waitFor(waiting);
    await message.getByRole("button", { name: "You reacted with :tada:" }).waitFor(waiting);
    const flags = { method: "POST", path: /\/json\/messages\/flags$/ };
    await server.killAt(ada, flags, "unanswered", () => openMessageMenu(ada, message, "Star"));
    await expect.poll(async () => (await starred()).length, waiting).toBe(1);
    await ada
      .getByRole("link", { name: /Starred messages/ })
      .getByRole("img", { name: "1" })
      .waitFor(waiting);
  });
  const starred = async () => {
    const state = await server.client.register({ fetch_event_types: ["starred_messages"] });
    return state.starred_messages!;
  };

  it("deleting, and moving the rest: gone once, and in order where it went", async () => {
    const [ada, grace] = server.pages;
    await openMessageMenu(ada, messageWith(ada, "three"), "Delete");
    await server.killAt(ada, ofMessage("DELETE"), "unanswered", () =>
      ada.getByRole("dialog").getByRole("button", { name: "Delete" }).click(),
    );
    await expectTexts(["one", "two, and more", "four"]);
    await openMessageMenu(ada, messageWith(ada, "two, and more"), "Move");
    const dialog = ada.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Topic" }).fill("rescue");
    await dialog.getByLabel("Tell in the new topic").uncheck();
    const move = () => dialog.getByRole("button", { name: "Move", exact: true }).click();
    await server.killAt(ada, ofMessage("PATCH"), "unheard", move);
    expect(await dialog.getByRole("textbox", { name: "Topic" }).inputValue()).toBe("rescue");
    await server.killAt(ada, ofMessage("PATCH"), "unanswered", move);
    await ada.keyboard.press("Escape");
    for (const page of [ada, grace]) await page.locator(".left").getByRole("link", { name: "rescue" }).click();
    await expectTexts(["one", "two, and more", "four"]);
  });

  it("a message for later, and a reminder: one each, in each conversation", async () => {
    const [ada] = server.pages;
    const scheduled = { method: "POST", path: /\/json\/scheduled_messages$/ };
    for (const [place, fate] of [
      ["rescue", "unanswered"],
      ["elsewhere", "unheard"],
    ] as const) {
      await ada.goto(topic(place));
      await composeBox(ada).fill("later, then");
      await ada.getByRole("button", { name: "Send later" }).click();
      await server.killAt(ada, scheduled, fate, () => ada.getByRole("button", { name: /Monday morning/ }).click());
      await expect.poll(() => composeBox(ada).inputValue(), waiting).toBe("");
    }
    const later = expectSuccess(await server.client.get("/scheduled_messages"))["scheduled_messages"] as object[];
    expect(later).toMatchObject(["rescue", "elsewhere"].map((place) => ({ content: "later, then", topic: place })));
    await ada.goto(topic("rescue"));

    await openMessageMenu(ada, messageWith(ada, "four"), "Remind me");
    const reminders = { method: "POST", path: /\/json\/reminders$/ };
    await server.killAt(ada, reminders, "unanswered", () => ada.getByRole("button", { name: /Tomorrow/ }).click());
    await ada.getByText("You will be reminded").waitFor(waiting);
    expect(expectSuccess(await server.client.get("/reminders"))["reminders"]).toHaveLength(1);
  });

  it("a draft: one on the server, the text still in the box", async () => {
    const [ada] = server.pages;
    const drafts = async () => {
      const { drafts: all } = expectSuccess(await server.client.get("/drafts")) as { drafts: { content: string }[] };
      return all.map(({ content }) => content);
    };
    await server.killAt(ada, { method: "POST", path: /\/json\/drafts$/ }, "unanswered", () =>
      composeBox(ada).fill("half a thought"),
    );
    expect(await composeBox(ada).inputValue()).toBe("half a thought");
    await composeBox(ada).fill("half a thought, and the rest");
    await expect.poll(drafts, waiting).toEqual(["half a thought, and the rest"]);
  });

  it("a file that is being uploaded: it goes on, and its link comes once", async () => {
    const [ada] = server.pages;
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("notes") };
    await server.killAt(ada, { method: "POST", path: /\/json\/user_uploads$/ }, "unheard", () =>
      ada.locator(".compose input[type=file]").setInputFiles(file),
    );
    const text = () => composeBox(ada).inputValue();
    await expect.poll(text, waiting).toMatch(/^half a thought, and the rest\n\[notes.txt\]\(\/user_uploads\/\S+\)$/);
    await composeBox(ada).press("Control+Enter");
    const card = "TXT\nnotes.txt\nTXT · 0.1 kB";
    await expectTexts(["one", "two, and more", "four", `half a thought, and the rest\n\n${card}`]);
  });

  it("a poll: each vote and each option once, and what was typed for it stays", async () => {
    const [ada, grace] = server.pages;
    for (const page of [ada, grace]) {
      await page.goto(topic("tea"));
      await composeBox(page).waitFor();
    }
    await send(ada, "/poll Tea?\nyes\nno");
    const [mine, theirs] = [ada, grace].map((page) => page.locator(".message .widget"));
    const votes = { method: "POST", path: /\/json\/submessage$/ };
    await server.killAt(ada, votes, "unanswered", () => mine!.getByRole("button", { name: "yes: 0 votes" }).click());
    for (const poll of [mine!, theirs!]) await poll.getByRole("button", { name: "yes: 1 vote" }).waitFor(waiting);
    await mine!.getByLabel("Add an option").fill("perhaps");
    const add = () => mine!.getByRole("button", { name: "Add", exact: true }).click();
    await server.killAt(ada, votes, "unheard", add);
    expect(await mine!.getByLabel("Add an option").inputValue()).toBe("perhaps");
    await add();
    for (const poll of [mine!, theirs!]) {
      await poll.getByRole("button", { name: "perhaps: 0 votes" }).waitFor(waiting);
      expect(await poll.getByRole("button", { name: /votes?$/ }).count()).toBe(3);
    }
  });

  it("settings and subscriptions: what is shown is what holds", async () => {
    const [ada] = server.pages;
    await ada.goto("/#settings/display");
    const clock = ada.getByLabel("24-hour clock");
    const settings = { method: "PATCH", path: /\/json\/settings$/ };
    await server.killAt(ada, settings, "unheard", () => clock.click());
    await expect.poll(() => clock.isChecked(), waiting).toBe(false);
    await server.killAt(ada, settings, "unanswered", () => clock.click());
    await expect.poll(() => clock.isChecked(), waiting).toBe(true);
    await ada.goto("/#settings/profile");
    const name = ada.getByLabel("Name", { exact: true });
    await name.fill("Ada King");
    const change = () => ada.getByRole("button", { name: "Change", exact: true }).click();
    await server.killAt(ada, settings, "unheard", change);
    expect(await name.inputValue()).toBe("Ada King");
    await change();
    await server.pages[1].locator(".right").getByText("Ada King").waitFor(waiting);

    const made = expectSuccess(
      await server.client.post("/users/me/subscriptions", { subscriptions: [{ name: "kites" }] }),
    );
    expect(made["result"]).toBe("success");
    expectSuccess(await server.client.delete("/users/me/subscriptions", { subscriptions: ["kites"] }));
    await ada.goto("/#channels");
    const line = ada.locator(".channel-line", { hasText: "kites" });
    await server.killAt(ada, { method: "POST", path: /\/json\/users\/me\/subscriptions$/ }, "unanswered", () =>
      line.getByRole("button", { name: "Subscribe", exact: true }).click(),
    );
    await line.getByRole("button", { name: "Unsubscribe" }).waitFor(waiting);
    await expect.poll(() => ada.locator(".left .side-with-menu", { hasText: "kites" }).count(), waiting).toBe(1);
    await ada.keyboard.press("Escape");
    server.expectNothingThrown();
  });

  it("reading: what was seen while the server was away is read", async () => {
    const [ada, grace] = server.pages;
    await ada.goto("/#inbox");
    await send(grace, "did you see this?");
    const line = ada.locator(".inbox-row", { hasText: "tea" });
    await line.waitFor(waiting);
    await server.killAt(ada, { method: "POST", path: /\/json\/messages\/flags$/ }, "unheard", () =>
      line.getByRole("link").click(),
    );
    await messageWith(ada, "did you see this?").waitFor(waiting);
    const unread = async () =>
      (await server.client.register({ fetch_event_types: ["message", "update_message_flags"] })).unread_msgs!.streams
        .length;
    await expect.poll(unread, waiting).toBe(0);
    await expect.poll(() => ada.locator(".message[data-unread]").count(), waiting).toBe(0);
    server.expectNothingThrown();
  });
});
