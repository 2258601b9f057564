/** Who did what in the organization: for administrators, with filters, and as a file. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { fullTime } from "../views/parts/dates.ts";
import { encode, type Params } from "../wire/api.ts";
import { Action, Refusal, Rows, Section } from "./fields.tsx";
import { s } from "./texts.ts";

interface AuditRecord {
  num: number;
  event_time: number;
  event_type: string;
  acting_user_id: number | null;
  via: string;
  ip_address: string | null;
  user_agent: string | null;
  modified_user_ids: number[];
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

interface Answer {
  audit_log: AuditRecord[];
  found_oldest: boolean;
}

/** Rows that are shown at once. */
const pageRows = 50;
/** Rows of a file. The server gives no more at once; `parley audit export` writes all. */
const fileRows = 1000;

interface Filter {
  who: string;
  whom: string;
  kind: string;
  since: string;
  until: string;
}

const daySecs = 86_400;
/** The beginning of a day where the person is, in UNIX seconds. */
const dayOf = (date: string): number => Math.floor(new Date(`${date}T00:00`).getTime() / 1000);

function paramsOf({ who, whom, kind, since, until }: Filter): Params {
  return {
    ...(who && { acting_user_id: Number(who) }),
    ...(whom && { modified_user_id: Number(whom) }),
    ...(kind && { event_types: [kind] }),
    ...(since && { since: dayOf(since) }),
    // The day itself counts.
    ...(until && { until: dayOf(until) + daySecs }),
  };
}

export function AuditLog() {
  const app = useApp();
  return (
    <Section title={s.auditLog} hint={s.auditLogHint}>
      {app.permissions.isAdmin ? <Log /> : <Refusal isShown />}
    </Section>
  );
}

function Log() {
  const filter = useSignal<Filter>({ who: "", whom: "", kind: "", since: "", until: "" });
  const set = (change: Partial<Filter>) => {
    filter.value = { ...filter.value, ...change };
  };
  const params = paramsOf(filter.value);
  return (
    <>
      <div class="filters">
        <Person label={s.auditWho} value={filter.value.who} set={(who) => set({ who })} />
        <Person label={s.auditWhom} value={filter.value.whom} set={(whom) => set({ whom })} />
        <label>
          {s.auditKind}{" "}
          <select value={filter.value.kind} onChange={(event) => set({ kind: event.currentTarget.value })}>
            <option value="">{s.auditAny}</option>
            {Object.entries(s.auditKinds).map(([kind, name]) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Day label={s.auditSince} set={(since) => set({ since })} />
        <Day label={s.auditUntil} set={(until) => set({ until })} />
      </div>
      <div class="own-actions">
        {(["csv", "jsonl"] as const).map((format) => (
          <a
            key={format}
            class="button small quiet"
            download={`audit-log.${format}`}
            href={`/json/realm/audit_log?${encode({ ...params, format, num_before: fileRows })}`}
          >
            {s.auditFile(format)}
          </a>
        ))}
      </div>
      <Found key={JSON.stringify(params)} params={params} />
    </>
  );
}

function Person({ label, value, set }: { label: string; value: string; set(id: string): void }) {
  const app = useApp();
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        <option value="">{s.auditAnybody}</option>
        {[...app.people.sorted.value, ...(app.store.read("people").realm_non_active_users ?? [])].map((user) => (
          <option key={user.user_id} value={String(user.user_id)}>
            {user.full_name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Day({ label, set }: { label: string; set(date: string): void }) {
  return (
    <label>
      {label} <input type="date" aria-label={label} onChange={(event) => set(event.currentTarget.value)} />
    </label>
  );
}

/** The newest rows, and older ones as they are asked for. */
function Found({ params }: { params: Params }) {
  const app = useApp();
  const { answer, error } = useAnswer<Answer>("/realm/audit_log", { ...params, num_before: pageRows });
  const older = useSignal<Answer | undefined>(undefined);
  if (error) return <p role="alert">{error}</p>;
  if (!answer) return null;
  const rows = [...(older.value?.audit_log ?? []), ...answer.audit_log];
  const [oldest] = rows;
  const more = async (anchor: number) => {
    const next = await app.actions.try<Answer>("GET", "/realm/audit_log", {
      ...params,
      anchor: String(anchor),
      num_before: pageRows,
    });
    if (next) older.value = { ...next, audit_log: [...next.audit_log, ...(older.value?.audit_log ?? [])] };
  };
  return (
    <>
      <Rows items={[...rows].reverse()} empty={t.nothingFound} row={(record) => <Entry record={record} />} />
      {!(older.value ?? answer).found_oldest && oldest && <Action label={s.auditOlder} run={() => more(oldest.num)} />}
    </>
  );
}

function Entry({ record }: { record: AuditRecord }) {
  const { people } = useApp();
  const { event_type, event_time, acting_user_id, modified_user_ids, via, ip_address, user_agent } = record;
  const { before, after } = record;
  return (
    <span>
      <b>{s.auditKinds[event_type] ?? event_type}</b>{" "}
      <bdi>{modified_user_ids.map((id) => people.name(id)).join(", ")}</bdi>
      <br />
      <span class="soft" title={user_agent ?? ""}>
        {fullTime(event_time)}
        {acting_user_id !== null && (
          <>
            , <bdi>{people.name(acting_user_id)}</bdi>
          </>
        )}
        {(acting_user_id === null || via !== "nobody") && `, ${s.auditWays[via] ?? via}`}
        {ip_address !== null && `, ${ip_address}`}
      </span>
      {(before ?? after) !== null && (
        <details>
          <summary>{s.auditDetails}</summary>
          <pre dir="auto">{JSON.stringify({ before, after }, undefined, 1)}</pre>
        </details>
      )}
    </span>
  );
}
