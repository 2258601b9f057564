/** The default icon of organizations. */
import { RawReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="14" fill="#35606b"/>
<path d="M12 18h26a6 6 0 0 1 6 6v10a6 6 0 0 1-6 6H26l-9 8v-8h-5a6 6 0 0 1-6-6V24a6 6 0 0 1 6-6z" fill="#fff"/>
<path d="M48 28h4a6 6 0 0 1 6 6v10a6 6 0 0 1-6 6v6l-7-6H33a6 6 0 0 1-5-3h10a10 10 0 0 0 10-10z" fill="#f2b84b"/>
</svg>`;

/** `realm_icon_url`. */
export const readIcon = route({
  doc: "https://zulip.com/api/get-server-settings",
  summary: "The picture of the organization.",
  auth: ["anybody"],
  rateLimit: "none",
  params: {},
  handle({ app }) {
    const headers = [["Content-Type", "image/svg+xml"]] as const;
    return app.keptAnswers.get("icon", "", 86_400, () => new RawReply(200, headers, svg));
  },
});
