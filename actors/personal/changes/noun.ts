import { defineNoun } from "../../realm/noun.ts";
import { addAlertWords, removeAlertWords } from "./alert-words.ts";
import { addDrafts, removeDraft, updateDraft } from "./drafts.ts";
import { muteUser, unmuteUser } from "./muted-users.ts";
import { addNavigationView, removeNavigationView, updateNavigationView } from "./navigation-views.ts";
import { finishOnboardingStep } from "./onboarding-steps.ts";
import { addSavedSnippet, removeSavedSnippet, updateSavedSnippet } from "./saved-snippets.ts";

export const personalNoun = defineNoun({
  commands: {
    addAlertWords,
    removeAlertWords,
    muteUser,
    unmuteUser,
    addDrafts,
    updateDraft,
    removeDraft,
    addSavedSnippet,
    updateSavedSnippet,
    removeSavedSnippet,
    addNavigationView,
    updateNavigationView,
    removeNavigationView,
    finishOnboardingStep,
  },
});
