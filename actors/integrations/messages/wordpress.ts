/** https://wordpress.org/plugins/hookpress/ */
import { byEvent, type Teller } from "../notice/integration.ts";
import { fields, link } from "../notice/markdown.ts";

const published: Teller = (payload) => {
  const post = link(payload.line("post_title") || "New post", payload.text("post_url"));
  return `A new ${payload.line("post_type") || "post"} was published: ${post}`;
};

export const wordpress = byEvent({
  name: "wordpress",
  displayName: "WordPress",
  takesForms: true,
  event: ({ payload }) => payload.need("hook"),
  topic: () => "WordPress notification",
  tells: {
    publish_post: published,
    publish_page: published,
    user_register: (payload) =>
      `Somebody registered:\n\n${fields([
        ["Name", payload.line("display_name")],
        ["Email", payload.line("user_email")],
      ])}`,
    wp_login: (payload) => `${payload.person("user_login")} logged in.`,
    comment_post: (payload) =>
      `${payload.person("comment_author")} commented${payload.has("comment_content") ? `: ${payload.line("comment_content")}` : "."}`,
  },
});
