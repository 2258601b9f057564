/** Uploads that nobody has before clamd calls them clean. It is scripted, and takes as long as a test wants. */
import sharp from "sharp";
import { expect, it } from "vitest";
import { quarantine } from "../../../actors/uploads/attachments.ts";
import { scanJob } from "../../../actors/uploads/scanning/job.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { askAsOperator } from "../../support/client/as-operator.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { clean, infected, silent, testScriptedClamd } from "../../support/files/scripted-clamd.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const clamd = testScriptedClamd();
const server = testServer({ environment: () => clamd.environment, alsoOn: ["two nodes"] });
const [mia, max] = server.people("Mia Member", "Max Member");

it("an upload is answered at once, and its bytes when it is clean", async () => {
  const url = await upload(mia, "a.txt", "some text");
  await mia.say(max, `[a](${url})`);
  const temporary = await temporaryOf(mia, url);
  const download = url.replace("/user_uploads/", "/user_uploads/download/");
  for (const [person, address] of [
    [mia, url],
    [max, url],
    [max, download],
    [undefined, temporary],
  ] as const)
    await expectChecked(address, person);
  // Whoever may not read it is not told of it.
  expect((await read(url, server.owner)).status).toBe(404);
  await release(url, mia);
  for (const [person, address] of [
    [max, url],
    [max, download],
    [undefined, temporary],
  ] as const)
    expect(await (await read(address, person)).text()).toBe("some text");
});

it("a message shows its picture from then on, and no thumbnail is made before", async () => {
  const queue = await max.queue();
  const url = await upload(mia, "a.png", await picture(), "image/png");
  const id = await mia.say(max, `[a](${url})`);
  const html = async () => String((await max.read(id))["content"]);
  expect(await html()).toBe(`<p><a href="${url}">a</a></p>`);
  const thumbnail = `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp`;
  await expectChecked(thumbnail, max);
  expect(await thumbnails()).toEqual([]);
  const status = `/thumbnail/status/${pathOf(url)}`;
  expect(expectSuccess(await mia.client.get(status))["has_thumbnail"]).toBe(false);
  await release(url, mia);
  const shown = await max.next(queue, "update_message");
  expect(shown).toMatchObject({ rendering_only: true, message_id: id, user_id: null });
  expect(await html()).toContain('<div class="message_inline_image">');
  expect(shown["rendered_content"]).toBe(await html());
  expect((await read(thumbnail, max)).headers.get("content-type")).toBe("image/webp");
  expect(expectSuccess(await mia.client.get(status))["has_thumbnail"]).toBe(true);
});

it("a message that was on its way meanwhile shows it a little later", async () => {
  clamd.script = clean;
  const url = await upload(mia, "late.png", await picture(), "image/png");
  await until("it is clean", async () => (await read(url, mia)).status === 200);
  const id = await mia.say(max, "later");
  const { sql } = server.database;
  // As if it was rendered before.
  await sql`update messages set content = ${`[a](${url})`}, rendered_content = ${`<p><a href="${url}">a</a></p>`} where id = ${id}`;
  const path = pathOf(url);
  await sql`update attachments set message_ids = array[${id}::bigint] where path_id = ${path}`;
  await until("it is shown", async () => {
    const rows = await sql<{ html: string }[]>`select rendered_content as html from messages where id = ${id}`;
    return rows[0]!.html.includes("message_inline_image");
  });
  await until("nothing is due", async () => (await due(url)) === null);
});

it("an infected one goes: for whoever reads, on the disk and in lists; its owner is told", async () => {
  const url = await upload(mia, "evil.txt", "some evil");
  const id = await mia.say(max, `[evil](${url})`);
  const queue = await mia.queue();
  const before = await messagesTo(mia);
  clamd.script = infected;
  await lookUntil("it is gone", async () => (await read(url, max)).status === 404);
  expect((await mia.next(queue, "attachment"))["op"]).toBe("remove");
  expect((await read(url, mia)).status).toBe(404);
  await until("its bytes are gone", async () => (await stored(url)) === undefined);
  expect(expectSuccess(await mia.client.get("/attachments"))["attachments"]).not.toContainEqual(
    expect.objectContaining({ name: "evil.txt" }),
  );
  expect((await max.read(id))["content"]).toBe(`<p><a href="${url}">evil</a></p>`);
  const told = (await messagesTo(mia)).slice(before.length);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ sender_full_name: "Notification Bot" });
  expect(told[0]!["content"]).toContain("<code>evil.txt</code>");
  expect(told[0]!["content"]).toContain("<code>Some.Virus</code>");
  const { audit_log } = expectSuccess(
    await server.owner.client.get("/realm/audit_log", {
      anchor: "newest",
      num_before: 1,
      event_types: ["user_upload_infected"],
    }),
  );
  expect(audit_log).toMatchObject([
    { modified_user_ids: [mia.id], after: { file_name: "evil.txt", size: 9, finding: "Some.Virus" } },
  ]);
  await until("it is counted", async () => (await metric('parley_upload_scans_total{outcome="infected"}')) > 0);
});

it("what a bot uploads its owner is told of", async () => {
  const bot = await server.addBot(mia, "uploader");
  const before = await messagesTo(mia);
  clamd.script = infected;
  await upload(bot, "bots.txt", "bots' evil");
  await until("its owner is told", async () => (await messagesTo(mia)).length > before.length);
  expect((await messagesTo(mia)).at(-1)!["content"]).toContain("<code>bots.txt</code>");
});

it("an infected one that is let go converges like any deletion", async () => {
  const url = await upload(max, "gone.txt", "gone soon");
  await assertConverges({
    observers: [max.client],
    act: async () => {
      clamd.script = infected;
      await lookUntil("it is gone", async () => (await read(url, max)).status === 404);
    },
  });
});

it("one of a size at which clamd does not look waits, and keeps no other one waiting", async () => {
  clamd.script = ({ bytes, isWhole }) =>
    bytes > 1000 ? "INSTREAM size limit exceeded. ERROR" : isWhole ? "stream: OK" : undefined;
  const large = await upload(mia, "large.txt", "x".repeat(100_000));
  const small = await upload(mia, "small.txt", "x");
  await until("the small one is clean", async () => (await read(small, mia)).status === 200);
  await until("the large one was looked at", async () => ((await due(large)) ?? 0) > now() + 3000);
  await expectChecked(large, mia);
  await release(large, mia);
});

it("while clamd is away all wait, and then it goes on by itself", async () => {
  await clamd.stop();
  const aways = () => metric('parley_upload_scans_total{outcome="away"}');
  const before = await aways();
  const urls = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => upload(mia, `${n}.txt`, "text")));
  await until("somebody has tried", async () => (await aways()) > before);
  for (const url of urls) await expectChecked(url, mia);
  clamd.script = clean;
  await clamd.start();
  for (const url of urls) await until("it is clean", async () => (await read(url, mia)).status === 200);
});

it("metrics tell how many wait, and for how long", async () => {
  const url = await upload(mia, "slow.txt", "slow");
  await server.database.sql`update attachments set quarantined_at = ${now() - 500} where quarantined_at is not null`;
  await until("it is told", async () => (await metric("parley_uploads_quarantined_oldest_seconds")) >= 500);
  expect(await metric("parley_uploads_quarantined")).toBe(1);
  await release(url, mia);
  await until("it is told", async () => (await metric("parley_uploads_quarantined")) === 0);
});

it("some are looked at at once, and no more", async () => {
  const first = clamd.asked.length;
  const urls = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => upload(mia, `many-${n}.txt`, "text")));
  const underWay = () => clamd.asked.slice(first).filter(({ isWhole }) => isWhole).length;
  await until("four are under way", () => underWay() === 4);
  await look();
  expect(underWay()).toBe(4);
  clamd.script = clean;
  for (const url of urls) await release(url, mia);
});

it("its owner deletes it as any other", async () => {
  const url = await upload(mia, "mine.txt", "mine");
  const { attachments } = expectSuccess(await mia.client.get("/attachments"));
  const { id } = (attachments as { id: number; name: string }[]).find(({ name }) => name === "mine.txt")!;
  expectSuccess(await mia.client.delete(`/attachments/${id}`));
  expect((await read(url, mia)).status).toBe(404);
  expect(await due(url)).toBeUndefined();
});

it("parts of a file that come one by one are an upload too", async () => {
  const headers = {
    authorization: basic(mia),
    "tus-resumable": "1.0.0",
    "upload-length": "9",
    "content-type": "application/offset+octet-stream",
  };
  const reply = await fetch(`${server.url}/api/v1/tus/`, { method: "POST", headers, body: "tus bytes" });
  const { url } = (await reply.json()) as { url: string };
  await expectChecked(url, mia);
  await release(url, mia);
});

it("what the server draws itself is shown at once: avatars and emoji", async () => {
  const files = { file: { filename: "a.png", content: await picture(), type: "image/png" } };
  const { avatar_url } = expectSuccess(await mia.client.post("/users/me/avatar", {}, { files }));
  expect((await fetch(new URL(String(avatar_url), server.url))).status).toBe(200);
});

it("an upload that an older node took goes into quarantine before its address is answered", async () => {
  const [realm] = await server.realms();
  clamd.script = clean;
  const url = await upload(mia, "old.txt", "old");
  await until("it is clean", async () => (await read(url, mia)).status === 200);
  clamd.script = silent;
  await quarantine(realm!, pathOf(url));
  await expectChecked(url, mia);
  await release(url, mia);
});

const basic = (person: Person) => `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString("base64")}`;
const read = (address: string, person?: Person) =>
  fetch(server.url + address, { headers: person ? { authorization: basic(person) } : {} });
const expectChecked = async (address: string, person?: Person) => {
  const reply = await read(address, person);
  expect([reply.status, await reply.json()]).toEqual([
    423,
    {
      result: "error",
      code: "FILE_BEING_CHECKED",
      msg: "This file is still being checked. Please try again later.",
    },
  ]);
};
/** Has what waits looked at now, and not when it is due. */
const look = async () => {
  const writer = (await server.realms()).find(({ isWriter }) => isWriter);
  await scanJob.run(writer!, now() + 7200);
};
const lookUntil = (what: string, isTrue: () => Promise<boolean>) => {
  clamd.hangUp();
  return until(what, async () => {
    await look();
    return isTrue();
  });
};
/** Has it found clean. */
const release = (url: string, person: Person) => {
  clamd.script = clean;
  return lookUntil("it is clean", async () => (await read(url, person)).status === 200);
};
const upload = async (person: Person, filename: string, content: string | Buffer, type = "text/plain") => {
  const files = { file: { filename, content: Buffer.from(content), type } };
  return String(expectSuccess(await person.client.post("/user_uploads", {}, { files }))["url"]);
};
const picture = () =>
  sharp({ create: { width: 900, height: 600, channels: 3, background: "#369" } })
    .png()
    .toBuffer();
const now = () => Math.floor(Date.now() / 1000);
const pathOf = (url: string) => url.replace("/user_uploads/", "");
const due = async (url: string) =>
  (
    await server.database.sql<{ scan_at: number | null }[]>`
      select scan_at from attachments where path_id = ${pathOf(url)}`
  )[0]?.scan_at;
const stored = (url: string) => server.server.app.files.size(`uploads/1/${pathOf(url).split("/")[2]}`);
const thumbnails = async () => {
  const names: string[] = [];
  for await (const { path } of server.server.app.files.list("thumbnails")) names.push(path);
  return names;
};
const temporaryOf = async (person: Person, url: string) => String(expectSuccess(await person.client.get(url))["url"]);
const messagesTo = async (person: Person) =>
  expectSuccess(
    await person.client.get("/messages", {
      anchor: "newest",
      num_before: 50,
      num_after: 0,
      narrow: [{ operator: "is", operand: "dm" }],
    }),
  )["messages"] as JsonObject[];
const metric = async (name: string) => {
  let sum = 0;
  for (const url of server.urls) {
    const text = await (await askAsOperator(`${url}/metrics`)).text();
    const line = text.split("\n").find((each) => each.startsWith(`${name} `));
    sum = name.endsWith("}") ? sum + Number(line?.split(" ").at(-1) ?? 0) : Number(line?.split(" ").at(-1) ?? 0);
  }
  return sum;
};
