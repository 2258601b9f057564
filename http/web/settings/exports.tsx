/** Exports of the organization: administrators ask for them, and take them away. */
import { useSignal } from "@preact/signals";
import { useApp } from "../model/app.ts";
import { useLiveAnswer } from "../views/dialogs/use-answer.ts";
import { fullTime } from "../views/parts/dates.ts";
import { Choice, DangerousAction, Refusal, Rows, Section } from "./fields.tsx";
import { s } from "./texts.ts";

interface ExportRecord {
  id: number;
  acting_user_id: number;
  export_time: number;
  export_type: string;
  export_url: string | null;
  pending: boolean;
  failed_timestamp: number | null;
}

export function Exports() {
  const app = useApp();
  return (
    <Section title={s.exports} hint={s.exportsHint}>
      {app.permissions.isAdmin ? <ExportList /> : <Refusal isShown />}
    </Section>
  );
}

function ExportList() {
  const app = useApp();
  const type = useSignal("public");
  const { answer } = useLiveAnswer<{ exports: ExportRecord[] }>("/export/realm", "realm_export");
  const { answer: agreed } = useLiveAnswer<{ export_consents: { consented: boolean }[] }>(
    "/export/realm/consents",
    "realm_export_consent",
  );
  const consents = agreed?.export_consents ?? [];
  const isUnderWay = answer?.exports.some(({ pending }) => pending) ?? true;
  return (
    <>
      <Choice
        label={s.exportType}
        value={type.value}
        choices={Object.entries(s.exportTypes)}
        set={(value) => (type.value = value)}
      />
      {agreed && type.value !== "public" && (
        <p class="soft">{s.consents(consents.filter(({ consented }) => consented).length, consents.length)}</p>
      )}
      <button
        type="button"
        class="button"
        disabled={isUnderWay}
        onClick={() => void app.actions.try("POST", "/export/realm", { export_type: type.value })}
      >
        {s.startExport}
      </button>
      {answer && <Rows items={[...answer.exports].reverse()} row={(one) => <Export record={one} />} />}
    </>
  );
}

function Export({ record }: { record: ExportRecord }) {
  const app = useApp();
  const { id, export_time, export_type, export_url, acting_user_id } = record;
  const download = async (url: string) => {
    // What is downloaded says nothing to the person when it is refused.
    if (await app.actions.try("POST", "/users/me/reauthenticate")) location.assign(new URL(url).pathname);
  };
  const state = record.pending ? s.exportPending : record.failed_timestamp ? s.exportFailed : s.exportDeleted;
  return (
    <>
      <span>
        {fullTime(export_time)}
        <br />
        <span class="soft">
          {s.exportTypes[export_type] ?? export_type} · <bdi>{app.people.name(acting_user_id)}</bdi>
        </span>
      </span>
      {export_url ? (
        <>
          <a
            class="button small quiet"
            href={new URL(export_url).pathname}
            onClick={(event) => {
              event.preventDefault();
              void download(export_url);
            }}
          >
            {s.download}
          </a>
          <DangerousAction
            label={s.deleteExport}
            text={s.deleteExportHint}
            run={() => void app.actions.try("DELETE", `/export/realm/${id}`)}
          />
        </>
      ) : (
        <span class="soft">{state}</span>
      )}
    </>
  );
}
