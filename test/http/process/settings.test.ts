/** The settings as their documentation and their messages tell them. */
import { describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "../../../http/process/config.ts";
import { allSettings } from "../../../http/process/settings/read-settings.ts";
import { readDocument, withTable } from "../../support/settings/settings-table.ts";

describe("settings", () => {
  it("are in docs/settings.md as they are declared: `npm run settings` writes them again", () => {
    const text = readDocument();
    expect(text).toBe(withTable(text));
    expect(text.match(/^\| `/gm)?.length).toBeGreaterThan(50);
  });

  it("have a variable each", () => {
    const variables = allSettings().map(({ variable }) => variable);
    expect(new Set(variables).size).toBe(variables.length);
  });

  it("refuse a value that they cannot have in one sentence with their variable", () => {
    // What may be any text refuses none. The list only changes with a setting.
    const takeAnything = allSettings().filter(({ variable }) => {
      try {
        readConfig({ [variable]: "? /?" });
        return true;
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        expect(String(error)).toMatch(new RegExp(`\\b${variable}\\b.*\\.$`));
        return false;
      }
    });
    expect(takeAnything.map(({ variable }) => variable)).toEqual([
      "PARLEY_DATA_DIR",
      "PARLEY_SECRET_KEY_FILE",
      "PARLEY_REALM_NAME",
      "PARLEY_FCM_CREDENTIALS_FILE",
    ]);
  });
});
