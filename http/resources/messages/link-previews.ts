/** Pictures of linked pages. */
import { notFound } from "../../../actors/errors.ts";
import { pathText } from "../../api/params.ts";
import { route } from "../../api/route.ts";
import { fileReply, publicThumbnailHeaders } from "../uploads/files.ts";

/** The picture is a copy of a public one, and its name cannot be guessed. So it needs no log-in. */
export const readLinkPreviewImage = route({
  doc: "https://zulip.com/help/image-video-and-website-previews",
  summary: "The picture of a page that a message links to.",
  auth: ["anybody"],
  rateLimit: "none",
  servesFiles: true,
  params: { realm_id: pathText(), file_name: pathText() },
  async handle({ app, realm, params, exchange }) {
    const missing = () => notFound("There is no such picture.");
    if (params.realm_id !== String(realm.id) || !/^[0-9a-f]{32}\.webp$/.test(params.file_name)) throw missing();
    const path = `link-previews/${realm.id}/${params.file_name}`;
    const reply = await fileReply(exchange, app.files, path, publicThumbnailHeaders);
    if (!reply) throw missing();
    return reply;
  },
});
