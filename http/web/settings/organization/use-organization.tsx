/** How a setting of the organization is shown and changed. */
import { useApp } from "../../model/app.ts";
import { Choice, LengthChoice, Toggle } from "../fields.tsx";
import { s } from "../texts.ts";

type Choices = readonly (readonly [string, string])[];

export function useOrganization() {
  const app = useApp();
  const state = app.store.read("realm", "channels");
  const { isAdmin, isOwner } = app.permissions;
  const set = (name: string, value: unknown) => app.actions.try("PATCH", "/realm", { [name]: value });
  const flag = (name: string, label: string, may = isAdmin) => (
    <Toggle label={label} disabled={!may} value={state[`realm_${name}`] === true} set={(value) => set(name, value)} />
  );
  const choice = (name: string, label: string, choices: Choices) => {
    const value = state[`realm_${name}`];
    return (
      <Choice
        label={label}
        disabled={!isAdmin}
        value={String(value)}
        choices={choices}
        set={(next) => set(name, typeof value === "number" ? Number(next) : next)}
      />
    );
  };
  const limit = (name: string, label: string) => {
    const secs = state[`realm_${name}`];
    return (
      <LengthChoice
        label={label}
        disabled={!isAdmin}
        value={typeof secs === "number" ? secs : null}
        set={(value) => set(name, value ?? "unlimited")}
      />
    );
  };
  /** A channel or none, which is -1. */
  const channel = (name: string, label: string, isPrivate = false) => (
    <Choice
      label={label}
      disabled={!isAdmin}
      value={String(state[`realm_${name}`] ?? -1)}
      choices={[
        ["-1", s.none],
        ...app.channels.all.value
          .filter(({ invite_only, is_archived }) => (invite_only || !isPrivate) && !is_archived)
          .map((one) => [String(one.stream_id), one.name] as const),
      ]}
      set={(value) => set(name, Number(value))}
    />
  );
  return { app, state, isAdmin, isOwner, set, flag, choice, limit, channel };
}
