/** The mark of a resolved topic. https://zulip.com/help/resolve-a-topic */
export const resolvedPrefix = "✔ ";

/** Code points of the longest topic, and the end of one that its mark made longer. */
const maxTopic = 60;
const cutEnd = "...";

/** Whether a change of topic only marks it resolved or unresolved. */
export function togglesResolved(from: string, to: string): boolean {
  return marks(from, to) || marks(to, from);
}

function marks(plain: string, marked: string): boolean {
  const whole = resolvedPrefix + plain;
  if (whole === marked) return true;
  const points = [...whole];
  return points.length > maxTopic && marked === points.slice(0, maxTopic - cutEnd.length).join("") + cutEnd;
}
