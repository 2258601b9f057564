/** https://github.com/tcplugins/tcWebHooks */
import { upTo } from "../../../storage/failures.ts";
import type { Integration } from "../notice/integration.ts";
import { link, plain } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** How it ended, and whether that is news. */
function stateOf(at: Payload): string {
  const [result, delta, status] = [at.line("buildResult"), at.line("buildResultDelta"), at.line("buildStatus")];
  if (result === "success") return delta === "fixed" ? ":check: is fixed" : ":check: succeeded";
  if (result === "failure") return `:cross_mark: is ${delta === "broken" ? "broken" : "still broken"} (${status})`;
  return result === "running" ? "has begun" : `is now ${status || result}`;
}

const isPersonal = (at: Payload): boolean =>
  at.list("teamcityProperties").some((one) => one.is("name", "env.BUILD_IS_PERSONAL") && one.is("value", "true"));

export const teamcity: Integration = {
  name: "teamcity",
  displayName: "TeamCity",
  read({ payload }) {
    const at = payload.at("build");
    const topic = at.need("buildFullName");
    const url = at.text("buildStatusUrl");
    const by = upTo(at.line("triggeredBy"), ";");
    const places = url === "" ? "" : `\n\n${link("changes", `${url}&tab=buildChangesDiv`)}, ${link("log", url)}`;
    const whose = isPersonal(at) ? `The personal build of ${by || "somebody"}, ` : "";
    return {
      topic,
      content: `${whose}${plain(topic)} ${link(`#${at.line("buildNumber")}`, url)} ${stateOf(at)}.${places}`,
    };
  },
};
