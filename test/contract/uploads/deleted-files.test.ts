/** Files whose last name is gone are removed, even where whoever asked for it could not. */
import { expect, it } from "vitest";
import { deletedFilesJob } from "../../../actors/uploads/deleted-files.ts";
import type { AttachmentId } from "../../../storage/ids.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [mia] = server.people("Mia Member");
const files = () => server.server.app.files;
const later = () => Math.floor(Date.now() / 1000) + 61;
const listed = async () =>
  (await server.database.sql<{ path: string }[]>`select path from deleted_files order by path`).map(({ path }) => path);
const finish = async () => {
  const [realm] = await server.realms();
  expect(await deletedFilesJob.findWaiting!(server.database.sql, later())).toEqual([1]);
  await deletedFilesJob.run(realm!, later());
  expect(await listed()).toEqual([]);
};

it("an upload whose node ends right after its deletion goes, with its thumbnails", async () => {
  const upload = { file: { filename: "a.txt", content: Buffer.from("text"), type: "text/plain" } };
  expectSuccess(await mia.client.post("/user_uploads", {}, { files: upload }));
  const { attachments } = expectSuccess(await mia.client.get("/attachments"));
  const [{ id, path_id }] = attachments as [{ id: AttachmentId; path_id: string }];
  const place = `uploads/1/${path_id.split("/")[2]}`;
  const thumbnail = place.replace("uploads", "thumbnails");
  await files().put(thumbnail, Buffer.from("drawn"));
  const [realm] = await server.realms();
  await realm!.execute("removeAttachment", { userId: mia.id, id, files: [place, thumbnail] });
  expect(await files().size(place)).toBe(4);
  expect(await listed()).toEqual([thumbnail, place]);
  // Whoever asked has a minute for it.
  expect(await deletedFilesJob.findWaiting!(server.database.sql, later() - 61)).toEqual([]);
  await finish();
  expect([await files().size(place), await files().size(thumbnail)]).toEqual([undefined, undefined]);
});

it("an avatar that was replaced goes with what was drawn of it", async () => {
  const [realm] = await server.realms();
  const path = `${mia.id}/${"ab".repeat(16)}`;
  for (const name of ["", "-small", "-medium"]) await files().put(`avatars/1/${path}${name}`, Buffer.from("x"));
  await realm!.execute("setAvatar", { actorId: mia.id, userId: mia.id, path });
  await realm!.execute("setAvatar", { actorId: mia.id, userId: mia.id, path: null });
  await finish();
  for (const name of ["", "-small", "-medium"]) expect(await files().size(`avatars/1/${path}${name}`)).toBeUndefined();
});

it("a deletion that is refused removes nothing", async () => {
  const [realm] = await server.realms();
  const args = { userId: mia.id, id: 999 as AttachmentId, files: ["uploads/1/x"] };
  await expect(realm!.execute("removeAttachment", args)).rejects.toThrow();
  expect(await listed()).toEqual([]);
});
