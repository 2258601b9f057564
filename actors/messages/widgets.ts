/**
 * Messages that start a widget: `/poll question` and `/todo title`, with one option or task per line, or a program's
 * own.
 */

import { upTo } from "../../storage/failures.ts";
import { ApiError, badRequest } from "../errors.ts";
import { readJsonText } from "../text/read-json.ts";
import { isStorable } from "../text/texts.ts";

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === "string";
const isListOf = (value: unknown, isPart: (part: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isPart);

/** Of the JSON of widgets: every text in it can be stored. @throws BAD_REQUEST */
export function checkedTexts(key: string, value: unknown): unknown {
  if (!isStorable(key) || (typeof value === "string" && !isStorable(value)))
    throw badRequest("Null bytes and halves of characters are not allowed in widgets");
  return value;
}

/** Checks of `extra_data`, by widget type. */
const extraData: Record<string, (data: Json) => boolean> = {
  poll: (data) => isText(data["question"]) && isListOf(data["options"], isText),
  todo: (data) =>
    isText(data["task_list_title"]) &&
    isListOf(data["tasks"], (task) => isObject(task) && isText(task["task"]) && isText(task["desc"])),
  zform: (data) =>
    data["type"] === "choices" &&
    isText(data["heading"]) &&
    isListOf(
      data["choices"],
      (choice) =>
        isObject(choice) && isText(choice["short_name"]) && isText(choice["long_name"]) && isText(choice["reply"]),
    ),
};

/**
 * A widget that a program gives with its message, as JSON text of `widget_type` and `extra_data`.
 *
 * @throws BAD_REQUEST unless it is one that clients know
 */
export function checkWidgetContent(text: string): string {
  let widget: unknown;
  try {
    widget = readJsonText(text, checkedTexts);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw badRequest("Widgets: API programmer sent invalid JSON content");
  }
  const type = isObject(widget) ? widget["widget_type"] : undefined;
  const check = isText(type) && Object.hasOwn(extraData, type) ? extraData[type] : undefined;
  if (!check) throw badRequest(`Widgets: unknown widget type`);
  const data = isObject(widget) ? widget["extra_data"] : undefined;
  if (!isObject(data) || !check(data)) throw badRequest("Widgets: extra_data does not fit the widget type");
  return JSON.stringify({ widget_type: type, extra_data: data });
}

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
            task: upTo(line, ":").trim(),
            desc: line.split(":").slice(1).join(":").trim(),
          })),
        };
  return JSON.stringify({ widget_type: kind, extra_data: extra });
}
