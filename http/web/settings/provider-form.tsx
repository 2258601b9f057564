/** The form of a provider by which people log in, with a button that asks whether it would work. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useApp } from "../model/app.ts";
import { entries, textsIn } from "./fields.tsx";
import { s } from "./texts.ts";

export interface Provider {
  name: string;
  display_name: string;
  issuer: string;
  client_id: string;
  client_secret_set_at: number | null;
  joining: string;
  domains: string[];
  scopes: string[];
  confirms_emails: boolean;
  groups: Record<string, string>;
  channels: Record<string, string[]>;
  redirect_uri: string;
}

/** What is sent. A secret that was not typed stays as it is. */
export interface ProviderParams {
  name: string;
  display_name: string;
  issuer: string;
  client_id: string;
  client_secret?: string;
  joining: string;
  domains: string[];
  scopes: string[];
  confirms_emails: boolean;
  groups: Record<string, string>;
  channels: Record<string, string[]>;
}

interface Props {
  /** Undefined: a new one. */
  provider: Provider | undefined;
  save(params: ProviderParams): unknown;
  cancel(): void;
}

export function ProviderForm({ provider, save, cancel }: Props) {
  const app = useApp();
  const said = useSignal("");
  const tryIt = async (filled: HTMLFormElement) => {
    const { name, issuer, client_id, client_secret } = paramsOf(filled, provider);
    said.value = s.asking;
    const params = { name, issuer, client_id, ...(client_secret !== undefined && { client_secret }) };
    const answer = await app.actions.try<{ problem: string | null }>("POST", "/realm/identity_providers/try", params);
    said.value = answer ? (answer.problem ?? s.nothingWrong) : "";
  };
  return (
    <form
      class="provider-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save(paramsOf(event.currentTarget, provider));
      }}
    >
      <Fields provider={provider} />
      <p role="status">{said.value}</p>
      <div class="add-form">
        <button type="submit" class="button small">
          {s.saveProvider}
        </button>
        <button
          type="button"
          class="button small quiet"
          onClick={({ currentTarget: { form } }) => form?.reportValidity() && void tryIt(form)}
        >
          {s.tryProvider}
        </button>
        <button type="button" class="button small quiet" onClick={cancel}>
          {s.leaveProvider}
        </button>
      </div>
    </form>
  );
}

function Fields({ provider }: { provider: Provider | undefined }) {
  const text = (name: "name" | "display_name" | "issuer" | "client_id", label: string, isFixed = false) => (
    <Field label={label}>
      <input name={name} defaultValue={provider?.[name] ?? ""} required readOnly={isFixed} dir="auto" />
    </Field>
  );
  const long = (name: string, label: string, value: string) => (
    <Field label={label}>
      <textarea name={name} rows={2} dir="auto" defaultValue={value} />
    </Field>
  );
  const { domains = [], scopes = ["profile", "email"], groups = {}, channels = {} } = provider ?? {};
  return (
    <>
      {text("display_name", s.providerTitle)}
      {text("name", s.providerName, provider !== undefined)}
      {text("issuer", s.issuer)}
      {text("client_id", s.clientId)}
      <Field label={s.clientSecret}>
        <input
          name="client_secret"
          type="password"
          autocomplete="new-password"
          placeholder={provider?.client_secret_set_at == null ? "" : s.secretStays}
        />
      </Field>
      <Field label={s.joining}>
        <select name="joining" defaultValue={provider?.joining ?? "invited"}>
          {entries(s.joinings).map(([value, label]) => (
            <option key={value} value={value} selected={value === (provider?.joining ?? "invited")}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <label class="toggle">
        <input name="confirms_emails" type="checkbox" defaultChecked={provider?.confirms_emails ?? false} />
        <span>{s.confirmsEmails}</span>
      </label>
      {long("domains", s.providerDomains, domains.join(", "))}
      {long("scopes", s.scopes, scopes.join(" "))}
      {long(
        "groups",
        s.providerGroups,
        lines(groups, (group) => group),
      )}
      {long(
        "channels",
        s.providerChannels,
        lines(channels, (names) => names.join(", ")),
      )}
    </>
  );
}

const Field = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <label class="field">
    <span>{label}</span>
    {children}
  </label>
);

const lines = <T,>(table: Record<string, T>, show: (value: T) => string): string =>
  Object.entries(table)
    .map(([group, value]) => `${group} = ${show(value)}`)
    .join("\n");

/** Lines like `group = value`. The last sign of equality counts: names of groups in directories have some. */
function linesOf(text: string): [string, string][] {
  return text.split("\n").flatMap((line): [string, string][] => {
    const at = line.lastIndexOf("=");
    const [group, value] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
    return group === "" || value === "" ? [] : [[group, value]];
  });
}

const words = (text: string, separator: RegExp): string[] =>
  text
    .split(separator)
    .map((word) => word.trim())
    .filter((word) => word !== "");

function paramsOf(form: HTMLFormElement, provider: Provider | undefined): ProviderParams {
  const fields = textsIn(form);
  const { domains = "", scopes = "", groups = "", channels = "", client_secret = "" } = fields;
  const { name = "", display_name = "", issuer = "", client_id = "", joining = "" } = fields;
  return {
    name: provider?.name ?? name.trim(),
    display_name: display_name.trim(),
    issuer: issuer.trim(),
    client_id: client_id.trim(),
    ...(client_secret !== "" && { client_secret }),
    joining,
    confirms_emails: fields["confirms_emails"] !== undefined,
    domains: words(domains, /[\s,]+/),
    scopes: words(scopes, /[\s,]+/),
    groups: Object.fromEntries(linesOf(groups)),
    channels: Object.fromEntries(linesOf(channels).map(([group, names]) => [group, words(names, /[,،、，]/)])),
  };
}
