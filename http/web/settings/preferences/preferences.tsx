/**
 * Preferences: how the page looks and behaves, and what notifies. The same fields show one's own and those that new
 * people begin with.
 */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { useApp } from "../../model/app.ts";
import { Choice, Toggle } from "../fields.tsx";

/** Whether the fields below are for people who come, and not for whoever looks at them. */
export const ForNewcomers = createContext(false);

interface Preferences {
  isOwn: boolean;
  values: Readonly<Record<string, unknown>>;
  mayChange: boolean;
  /** @returns undefined where the server refused */
  set(name: string, value: unknown): Promise<unknown>;
}

export function usePreferences(): Preferences {
  const app = useApp();
  const isOwn = !useContext(ForNewcomers);
  const { user_settings, realm_user_settings_defaults } = app.store.read(isOwn ? "settings" : "realm");
  return {
    isOwn,
    values: (isOwn ? user_settings : realm_user_settings_defaults) ?? {},
    mayChange: isOwn || app.permissions.isAdmin,
    set: (name, value) => (isOwn ? app.actions.setSetting(name, value) : app.actions.setNewcomersSetting(name, value)),
  };
}

/** A preference that is on or off. */
export function Switch({ name, label, hint }: { name: string; label: string; hint?: string }) {
  const { values, mayChange, set } = usePreferences();
  return (
    <Toggle
      label={label}
      hint={hint}
      disabled={!mayChange}
      value={values[name] === true}
      set={(value) => set(name, value)}
    />
  );
}

interface SelectProps {
  name: string;
  label: string;
  choices: readonly (readonly [string, string])[];
  /** The choice that stands for a value that is none of them. */
  shown?(value: unknown): string;
}

/** A preference of several choices. */
export function Select({ name, label, choices, shown = String }: SelectProps) {
  const { values, mayChange, set } = usePreferences();
  const present = values[name];
  return (
    <Choice
      label={label}
      disabled={!mayChange}
      value={shown(present)}
      choices={choices}
      set={(value) => set(name, typeof present === "number" ? Number(value) : value)}
    />
  );
}
