/** Pictures, films and sound of other sites. */
import { errors, notFound } from "../../../actors/errors.ts";
import { bool, pathText } from "../../api/params.ts";
import { route } from "../../api/route.ts";
import { fileReply, safeBytesHeaders } from "../uploads/files.ts";

/** What was public at another site, at an address that only this server can make. So it needs no log-in. */
export const readExternalContent = route({
  doc: "https://zulip.com/help/image-video-and-website-previews",
  summary: "A picture, film or sound of another site that a message links to.",
  auth: ["anybody"],
  rateLimit: "none",
  servesFiles: true,
  params: {
    digest: pathText().describe("Shows that this server has made the address."),
    address: pathText().describe("The address at the other site, in hexadecimal digits of UTF-8."),
    still: bool().default(false).describe("Whether a picture that moves is shown by its first frame."),
  },
  async handle({ app, realm, params, exchange }) {
    const { externalContents } = app;
    const copy = await externalContents?.find(realm.id, params.digest, params.address, params.still);
    if (copy === "busy") throw errors.SERVICE_UNAVAILABLE("Too many pictures are being fetched.");
    const reply =
      externalContents &&
      copy &&
      (await fileReply(exchange, externalContents.files, copy.path, [
        ["Content-Type", copy.contentType],
        ["Cache-Control", "private, max-age=86400"],
        ...safeBytesHeaders,
      ]));
    if (!reply) throw notFound("There is no such picture.");
    return reply;
  },
});
