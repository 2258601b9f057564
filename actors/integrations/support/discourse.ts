/** https://meta.discourse.org/t/configure-webhooks-that-trigger-on-discourse-events-to-integrate-with-external-services/49045 */
import { byEvent, headerEvent, type Notice, type Teller } from "../notice/integration.ts";
import { link, quote } from "../notice/markdown.ts";
import { malformed, type Payload } from "../notice/payload.ts";
import { textOfHtml } from "./html.ts";

const header = headerEvent("X-Discourse-Event");

/** It tells of no addresses but that of the forum, in a header; pages are found by their number alone. */
const who = (at: Payload): string => at.person("username", "created_by.username", "last_poster.username", "name");

const topicDeed =
  (did: string) =>
  (payload: Payload): string => {
    const at = payload.at("topic");
    const category = at.line("category_name", "category.name");
    const tags = at.lines("tags").join(", ");
    const more = [category && `in ${category}`, tags && `tagged ${tags}`].filter(Boolean).join(", ");
    return `${at.person("created_by.username", "user.username")}'s topic **${at.line("title", "fancy_title")}** was ${did}${more === "" ? "." : `, ${more}.`}`;
  };

const postDeed =
  (did: string): Teller =>
  (payload) => {
    const at = payload.at("post");
    const text = at.text("raw") || textOfHtml(at.text("cooked"));
    const name = at.has("post_number") ? `post #${at.line("post_number")}` : "post";
    return `${who(at)}'s ${link(name, at.text("post_url", "url"))} was ${did}${text === "" ? "." : `:${quote(text)}`}`;
  };

const userDeed =
  (did: string): Teller =>
  (payload) =>
    `The account **${payload.line("user.username")}** was ${did}.`;

const flagDeed = (payload: Payload): string =>
  `A post of ${payload.person("reviewable.target_created_by.username", "reviewable.created_by.username")} waits for a review.`;

/** The topic that a post is in, or what else it is about. */
function topicOf(payload: Payload, event: string): string {
  if (event.startsWith("user")) return "Users";
  if (event.startsWith("reviewable")) return "Reviews";
  const found = payload.raw("topic.title", "post.topic_title", "topic.fancy_title");
  if (found === "") throw malformed("topic.title is missing");
  return found;
}

export const discourse = byEvent({
  name: "discourse",
  displayName: "Discourse",
  eventHeaders: ["x-discourse-event"],
  event: (notice: Notice) => header(notice),
  topic: topicOf,
  ignores: ["ping", "user_logged_in", "user_logged_out", "user_confirmed_email", "notification_created"],
  tells: {
    topic_created: topicDeed("created"),
    topic_edited: topicDeed("edited"),
    topic_destroyed: topicDeed("deleted"),
    topic_recovered: topicDeed("restored"),
    topic_closed_status_updated: (payload) =>
      topicDeed(payload.is("topic.closed", true) ? "closed" : "opened again")(payload),
    post_created: postDeed("written"),
    post_edited: postDeed("edited"),
    post_destroyed: postDeed("deleted"),
    post_recovered: postDeed("restored"),
    user_created: userDeed("created"),
    user_approved: userDeed("approved"),
    user_updated: userDeed("changed"),
    user_destroyed: userDeed("deleted"),
    reviewable_created: flagDeed,
  },
});
