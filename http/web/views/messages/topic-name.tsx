/** The name of a topic. The empty topic has a display name. */
import { resolvedPrefix } from "../../../client/state/resolved.ts";
import { t } from "../../texts.ts";
import { Icon } from "../parts/icons.tsx";

export function TopicName({ topic }: { topic: string }) {
  if (topic === "") return <em class="general-chat">{t.generalChat}</em>;
  if (!topic.startsWith(resolvedPrefix)) return <bdi>{topic}</bdi>;
  return (
    <span class="resolved">
      <Icon name="check" size={13} />
      <bdi>{topic.slice(resolvedPrefix.length)}</bdi>
    </span>
  );
}
