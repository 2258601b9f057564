/** GIFs for messages, of the provider that the operator names. */
import { array, integer, object, string } from "superstruct";
import { badRequest, errors } from "../../../actors/errors.ts";
import { gifRatings } from "../../../actors/gifs/providers.ts";
import { described } from "../../../actors/shape.ts";
import { userSetting } from "../../../actors/users/settings/settings.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { text } from "../../api/params.ts";
import { tighter } from "../../api/rate-limit.ts";
import { AwaitedReply } from "../../api/reply.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";

/** Characters of what is looked for, and of where a page begins. */
const maxWords = 100;
const maxFrom = 200;

/** Finds GIFs by words, or those that many send now. Zulip's clients ask providers themselves. */
export const getGifs = route({
  doc: "https://zulip.com/help/animated-gifs",
  summary: "Finds GIFs by words, or those that many send now, where the server has a provider of them.",
  auth: anyAccount,
  params: {
    query: text({ maxLength: maxWords }).default("").describe("What to look for; empty for what many send now."),
    from: text({ maxLength: maxFrom }).default("").describe("`next` of the page before; empty for the first one."),
  },
  returns: {
    gifs: described(
      array(
        object({
          alt: described(string(), "What it shows; empty where nobody says."),
          url: described(string(), "Its address at the provider, for a message."),
          preview_url: described(
            string(),
            "The address of a small one, on this server; with `?still=true` its first frame.",
          ),
          width: described(integer(), "Pixels of the small one across."),
          height: described(integer(), "Pixels of the small one down."),
        }),
      ),
      "What was found, the best first.",
    ),
    next: described(string(), "`from` of the next page; empty after the last one."),
  },
  async handle(request) {
    const { app, realm, user, params } = request;
    const { gifs } = app;
    if (!gifs) throw badRequest("This server has no provider of GIFs.");
    const policy = realm.state.setting("gif_rating_policy");
    if (policy === 0) throw badRequest("This organization has no GIFs.");
    const question = {
      words: params.query.trim(),
      from: params.from,
      rating: gifRatings[policy],
      language: userSetting(user, "default_language"),
    };
    // The read has ended: while the provider looks, its caller's other reads go on.
    return new AwaitedReply(async () => ({ ...(await gifs.find(question, () => pay(request))) }));
  },
});

/**
 * A provider counts each question, so the budget is kept also where requests are not limited.
 *
 * @throws RATE_LIMIT_HIT
 */
async function pay({ app, realm, user }: Pick<ApiRequest<never, UserRow>, "app" | "realm" | "user">): Promise<void> {
  const limiter = app.rateLimiters.of(realm);
  const own = await limiter.takeShared("gifs_by_user", user.id);
  const allowance = own.isAllowed ? tighter(own, await limiter.takeShared("gifs_by_realm", realm.id)) : own;
  if (!allowance.isAllowed) throw errors.RATE_LIMIT_HIT({ "retry-after": allowance.retryAfterSecs });
}
