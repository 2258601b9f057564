/** https://www.jotform.com/help/245-how-to-setup-a-webhook-with-jotform/ */
import type { Integration } from "../notice/integration.ts";
import { listed, plain } from "../notice/markdown.ts";

const mostAnswers = 100;

export const jotform: Integration = {
  name: "jotform",
  displayName: "Jotform",
  takesForms: true,
  read({ payload }) {
    const topic = payload.need("formTitle");
    // "Name:Ada Lovelace, Mail:ada@example.com": what people wrote may have commas of its own.
    const answers = payload
      .text("pretty")
      .split(/, (?=[^,:]{1,80}:)/)
      .map((answer) => plain(answer.replace(/:(?=\S)/, ": ")))
      .filter(Boolean);
    return { topic, content: `Submission ${payload.line("submissionID")}:\n\n${listed(answers, mostAnswers)}`.trim() };
  },
};
