/** Summaries of what a narrow finds, by a language model that the operator names. */
import { string } from "superstruct";
import { badRequest, errors } from "../../../actors/errors.ts";
import { described } from "../../../actors/shape.ts";
import { userSetting } from "../../../actors/users/settings/settings.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { tighter } from "../../api/rate-limit.ts";
import { AwaitedReply } from "../../api/reply.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";
import { readConversation } from "./conversation.ts";
import { narrowParam, readNarrow } from "./narrow-param.ts";

/** Summarizes the newest messages of a narrow, as Zulip's clients ask. https://zulip.com/help/summarize-topics */
export const getMessagesSummary = route({
  doc: "https://zulip.com/help/summarize-topics",
  summary: "Summarizes the newest messages that a narrow finds, where the server has a language model.",
  auth: anyAccount,
  params: { narrow: narrowParam() },
  returns: { summary: described(string(), "The summary, in Markdown.") },
  async handle(request) {
    const { app, realm, user, params, exchange } = request;
    const { summaries } = app;
    if (!summaries) throw badRequest("AI features are not enabled on this server.");
    if (!realm.state.may(user, "can_summarize_topics_group")) throw badRequest("Insufficient permission");
    if (userSetting(user, "hide_ai_features")) throw badRequest("You have chosen to hide AI features.");
    const conversation = await readConversation(realm, user, readNarrow(params.narrow));
    if (conversation.length === 0) return { summary: "No messages in conversation to summarize" };
    const leaving = new AbortController();
    exchange.onGone(() => leaving.abort());
    const reader = { id: user.id, signal: leaving.signal, pay: () => pay(request) };
    // The read has ended: while the model thinks, its caller's other reads go on.
    return new AwaitedReply(async () => ({ summary: await summaries.of(conversation, reader) }));
  },
});

/** A summary costs money, so its budget is kept also where requests are not limited. @throws RATE_LIMIT_HIT */
async function pay({ app, realm, user }: Pick<ApiRequest<never, UserRow>, "app" | "realm" | "user">): Promise<void> {
  const limiter = app.rateLimiters.of(realm);
  const own = await limiter.takeShared("summaries_by_user", user.id);
  const allowance = own.isAllowed ? tighter(own, await limiter.takeShared("summaries_by_realm", realm.id)) : own;
  if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
}
