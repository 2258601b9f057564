/** https://goharbor.io/docs/latest/working-with-projects/project-configuration/configure-webhooks/ */
import { byEvent, type Teller } from "../notice/integration.ts";
import { code, listed } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const name = (payload: Payload): string => payload.line("event_data.repository.repo_full_name");

/** The image, by tag or by digest. */
function image(payload: Payload): string {
  const at = payload.at("event_data.resources.0");
  return code(at.has("tag") ? `${name(payload)}:${at.line("tag")}` : `${name(payload)}@${at.line("digest")}`);
}

const deed =
  (did: string): Teller =>
  (payload) =>
    `**${payload.person("operator")}** ${did} the image ${image(payload)}.`;

/** Vulnerabilities by severity, by each scanner. */
const scanned: Teller = (payload) => {
  const lines = payload
    .entries("event_data.resources.0.scan_overview")
    .flatMap(([, report]) =>
      report.entries("summary.summary").map(([severity, count]) => `${severity}: **${count.own()}**`),
    );
  return `The scan of ${image(payload)} is complete. Vulnerabilities by severity:\n\n${listed(lines.length === 0 ? ["None"] : lines)}`;
};

export const harbor = byEvent({
  name: "harbor",
  displayName: "Harbor",
  escapesTwice: true,
  event: ({ payload }) => payload.need("type"),
  topic: (payload) => payload.need("event_data.repository.repo_full_name"),
  ignores: [
    "DOWNLOAD_CHART",
    "DELETE_CHART",
    "UPLOAD_CHART",
    "PULL_ARTIFACT",
    "DELETE_ARTIFACT",
    "SCANNING_FAILED",
    "SCANNING_STOPPED",
  ],
  tells: { PUSH_ARTIFACT: deed("pushed"), SCANNING_COMPLETED: scanned },
});
