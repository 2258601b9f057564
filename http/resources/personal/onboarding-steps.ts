/** Onboarding steps of the caller. */
import { text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

/** Marks a step as seen. https://zulip.com/api/mark-onboarding-step-as-read */
export const finishOnboardingStep = route({
  doc: "https://zulip.com/api/mark-onboarding-step-as-read",
  summary: "Notes that the caller has been through a step of the introduction.",
  auth: anyAccount,
  params: { onboarding_step: text().describe("The step's name, from `onboarding_steps`.") },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("finishOnboardingStep", { userId: user.id, name: params.onboarding_step });
  },
});
