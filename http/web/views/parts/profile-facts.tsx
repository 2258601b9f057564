/** Lines of a profile: a name, and what is said. */
import type { ProfileField } from "../../../client/types.ts";
import { membersOf } from "../../kept.ts";
import type { App } from "../../model/app.ts";
import { useApp } from "../../model/app.ts";
import { dateText } from "./dates.ts";
import { Rendered } from "./rendered.tsx";

/** Types of fields whose value is not what is shown. https://zulip.com/api/create-custom-profile-field */
const kinds = { options: 3, date: 4, link: 5, people: 6, account: 7 } as const;

/** One line of a profile, as its type says. */
export function ProfileFact(props: { field: ProfileField; value: string; html: string | undefined }) {
  const { field, value, html } = props;
  const { type, name, field_data } = field;
  const app = useApp();
  if (html !== undefined)
    return (
      <>
        <dt>{name}</dt>
        <dd>
          <Rendered html={html} />
        </dd>
      </>
    );
  if (type === kinds.link && /^https?:/i.test(value)) return <Fact name={name} value={value} href={value} />;
  if (type === kinds.date) return <Fact name={name} value={dateText(value)} />;
  const data = parsed(type === kinds.people ? value : field_data);
  if (!data) return <Fact name={name} value={value} />;
  if (type === kinds.people) {
    const ids = Object.values(data).filter((id) => typeof id === "number");
    return <Fact name={name} value={ids.map((id) => app.people.name(id)).join(", ")} />;
  }
  if (type === kinds.options) return <Fact name={name} value={String(membersOf(data[value])["text"] ?? value)} />;
  if (type === kinds.account) return <Fact name={name} value={value} href={accountAddress(app, data, value)} />;
  return <Fact name={name} value={value} />;
}

/** The members of a JSON object, or of a list. */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(text || "null");
    return data === null ? undefined : membersOf(data);
  } catch {
    return undefined;
  }
}

/** Where somebody's account at another site is; undefined when it is no address of the web. */
function accountAddress(app: App, data: Record<string, unknown>, account: string): string | undefined {
  const sites = app.store.state.realm_default_external_accounts;
  const pattern = String(data["url_pattern"] ?? sites?.[String(data["subtype"])]?.url_pattern ?? "");
  const address = pattern.replace("%(username)s", encodeURIComponent(account));
  return /^https?:/i.test(address) ? address : undefined;
}

export function Fact({ name, value, href }: { name: string; value: string; href?: string | undefined }) {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">
        {href ? (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {value}
          </a>
        ) : (
          value
        )}
      </dd>
    </>
  );
}
