/** Messages that start a widget: `/poll question` and `/todo title`, with one option or task a line. */

/** The widget's first submessage, as JSON text, or undefined for an ordinary message. */
export function widgetOf(content: string): string | undefined {
  const match = /^\/(poll|todo)(?:[ \t]+([^\n]*))?(?:\n([\s\S]*))?$/.exec(content);
  if (!match) return undefined;
  const [, kind, title = "", body = ""] = match;
  const lines = body
    .split("\n")
    .map((line) => line.trim().replace(/^[-*]\s+/, ""))
    .filter((line) => line !== "");
  const extra =
    kind === "poll"
      ? { question: title.trim(), options: lines }
      : {
          task_list_title: title.trim(),
          tasks: lines.map((line) => ({
            task: line.split(":")[0]!.trim(),
            desc: line.split(":").slice(1).join(":").trim(),
          })),
        };
  return JSON.stringify({ widget_type: kind, extra_data: extra });
}
