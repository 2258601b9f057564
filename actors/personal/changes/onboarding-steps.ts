/** Onboarding steps: explanations that a client shows a person once. */
import type { UserId } from "../../../storage/ids.ts";
import { addSeenStep, findSeenSteps } from "../../../storage/personal/onboarding-steps.ts";
import { badRequest } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";

/** Notices that clients know. Source: zulip.com/api/get-events, onboarding_steps. The last is the page's own. */
const stepNames = [
  "visibility_policy_banner",
  "intro_inbox_view_modal",
  "intro_recent_view_modal",
  "first_stream_created_banner",
  "jump_to_conversation_banner",
  "non_interleaved_view_messages_fading",
  "interleaved_view_messages_fading",
  "intro_resolve_topic",
  "navigation_tour_video",
  "first_run",
] as const;

/** The steps that the person has not seen, as clients see them. */
export function remainingSteps(seen: readonly string[]): { type: "one_time_notice"; name: string }[] {
  return stepNames.filter((name) => !seen.includes(name)).map((name) => ({ type: "one_time_notice", name }));
}

/** Marks a step as seen. */
export const finishOnboardingStep = command(async (tx: Tx, args: { userId: UserId; name: string }) => {
  const user = tx.user(args.userId);
  if (!stepNames.some((name) => name === args.name))
    throw badRequest(`Unknown onboarding_step: ${args.name.slice(0, 100)}`);
  const seen = await findSeenSteps(tx.sql, user.id);
  if (seen.includes(args.name)) return {};
  tx.write((sql) => addSeenStep(sql, tx.realmId, user.id, args.name));
  tx.event(
    { type: "onboarding_steps", onboarding_steps: remainingSteps([...seen, args.name]) },
    { to: "users", ids: [user.id] },
  );
  return {};
});
