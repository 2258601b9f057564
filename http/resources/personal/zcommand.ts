/** Slash commands: texts that clients send to the server instead of posting them. */
import { string } from "superstruct";
import { badRequest } from "../../../actors/errors.ts";
import { described } from "../../../actors/shape.ts";
import type { SettingValues } from "../../../actors/users/changes/settings.ts";
import { text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

interface ZCommand {
  settings: SettingValues;
  msg: string;
}

/** `color_scheme`: 2 is dark, 3 is light. https://zulip.com/api/update-settings */
const dark: ZCommand = {
  settings: { color_scheme: 2 },
  msg: "The theme is dark now. `/light` brings the light one back.",
};
const light: ZCommand = {
  settings: { color_scheme: 3 },
  msg: "The theme is light now. `/dark` brings the dark one back.",
};
const commands: Readonly<Record<string, ZCommand>> = {
  dark,
  night: dark,
  light,
  day: light,
  "fluid-width": {
    settings: { fluid_layout_width: true },
    msg: "Messages take the whole width now. `/fixed-width` limits them again.",
  },
  "fixed-width": {
    settings: { fluid_layout_width: false },
    msg: "Messages have a limited width now. `/fluid-width` gives them all of it.",
  },
};

/** https://zulip.com/help/format-your-message-using-markdown */
export const runZCommand = route({
  doc: "https://zulip.com/help/format-your-message-using-markdown",
  summary: "Does a slash command: /ping, /dark, /light, /fluid-width or /fixed-width. `msg` says what was done.",
  auth: anyAccount,
  params: { command: text().describe("The command, with its slash.") },
  returns: { msg: described(string(), "What was done.") },
  async handle({ realm, user, params }) {
    if (!params.command.startsWith("/")) throw badRequest("A command begins with a slash.");
    const name = params.command.slice(1).trim();
    if (name === "ping") return { msg: "" };
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw badRequest(`No such command: ${name.slice(0, 60)}`);
    await realm.execute("updateSettings", { userId: user.id, settings: command.settings });
    return { msg: command.msg };
  },
});
