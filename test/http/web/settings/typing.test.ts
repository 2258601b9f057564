/** Who does not want to see that others write sees it no more, what was shown already included. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath, patienceMs, type Visitor } from "../../../support/web/browser.ts";
import { messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("typing notices", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace, alan] = server.people("Ada Lovelace", "Grace Hopper", "Alan Turing");
  const engines = server.channel("engines", [ada, grace, alan]);
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` });
  });

  const notice = () => visitor.page.getByText("Grace Hopper is writing");
  const write = async () => {
    const to = { type: "stream", stream_id: engines.id, topic: "loops" };
    expectSuccess(await grace.client.post("/typing", { op: "start", ...to }));
  };
  /** Whatever happened before has come to the page once a message of a third person is there. */
  const hear = async (text: string) => {
    await alan.say(engines, text, "loops");
    await messageWith(visitor.page, text).waitFor({ state: "attached" });
  };
  const set = async (isOn: boolean) => {
    await visitor.page.goto("/#settings/display");
    await visitor.page.getByLabel("Show when others write").setChecked(isOn);
    const present = async () =>
      (await ada.client.register({ fetch_event_types: ["user_settings"] })).user_settings?.[
        "receives_typing_notifications"
      ];
    await expect.poll(present, waiting).toBe(isOn);
    await visitor.page.keyboard.press("Escape");
    await visitor.page.locator("dialog.settings").waitFor({ state: "detached" });
  };

  it("are shown, hidden for whoever does not want them, and shown again", async () => {
    await hear("begins");
    await write();
    await notice().waitFor();
    await set(false);
    await hear("was told");
    expect(await notice().count()).toBe(0);
    await write();
    await hear("was not told");
    expect(await notice().count()).toBe(0);
    await set(true);
    await hear("is told again");
    await write();
    await notice().waitFor();
  });
});
