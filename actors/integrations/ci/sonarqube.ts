/** https://docs.sonarsource.com/sonarqube-server/latest/project-administration/webhooks/ */
import type { Integration } from "../notice/integration.ts";
import { code, link, listed } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** What a value should be, for an operator that says when it is wrong. */
const wanted: Readonly<Record<string, string>> = {
  WORSE_THAN: "should be no worse than",
  GREATER_THAN: "should be at most",
  LESS_THAN: "should be at least",
};

function condition(at: Payload): string {
  const operator = at.line("operator");
  const value = at.line("value");
  const name = at.line("metric").replaceAll("_", " ");
  const status = at.line("status").toLowerCase();
  return `${name}: **${status}**${value === "" ? "" : `, is ${value}, ${wanted[operator] ?? operator} ${at.line("errorThreshold")}`}`;
}

export const sonarqube: Integration = {
  name: "sonarqube",
  displayName: "SonarQube",
  read({ payload }) {
    const [project, branch] = [payload.need("project.name"), payload.line("branch.name")];
    const failed = payload
      .list("qualityGate.conditions")
      .filter((one) => !/^(?:ok|no_value)$/i.test(one.line("status")));
    const isGood = /^ok$/i.test(payload.line("qualityGate.status"));
    const name = link(project, payload.text("branch.url", "project.url"));
    const head = `${isGood ? ":check:" : ":alert:"} The analysis of ${name}${branch === "" ? "" : ` on ${code(branch)}`} ended in **${isGood ? "success" : "error"}**`;
    return {
      topic: branch === "" ? project : `${project} / ${branch}`,
      content: failed.length === 0 ? `${head}.` : `${head}:\n\n${listed(failed.map(condition))}`,
    };
  },
};
