/** The browsers in which the person is logged in. */
import { useApp } from "../model/app.ts";
import { t } from "../texts.ts";
import { useAnswer } from "../views/dialogs/use-answer.ts";
import { ago, fullTime } from "../views/parts/dates.ts";
import { Action, Rows, Section } from "./fields.tsx";
import { s } from "./texts.ts";

interface SessionRecord {
  id: number;
  client: string;
  /** The browser, or what else it is, and its system; empty where they are not known. */
  program: string;
  system: string;
  user_agent: string;
  ip_address: string;
  date_created: number;
  last_seen: number;
  is_current: boolean;
}

/** An older node names no system, but all of it in English. */
function Named({ session: { client, program, system } }: { session: SessionRecord }) {
  return system ? <span>{s.programOn(program, system)}</span> : <bdi>{client}</bdi>;
}

export function Sessions() {
  const app = useApp();
  const { answer, again } = useAnswer<{ sessions: SessionRecord[] }>("/users/me/sessions");
  const end = async (path: string) => {
    await app.actions.try("DELETE", path);
    again();
  };
  return (
    <Section title={s.sessions} hint={s.sessionsHint}>
      {answer && (
        <Rows
          items={answer.sessions}
          row={(session) => (
            <>
              <span title={session.user_agent}>
                <Named session={session} /> {session.is_current && <span class="tag">{s.thisBrowser}</span>}
                <br />
                <span class="soft">
                  {s.loggedIn(fullTime(session.date_created))}, {s.seen(ago(session.last_seen), session.ip_address)}
                </span>
              </span>
              {!session.is_current && <Action label={t.logOut} run={() => end(`/users/me/sessions/${session.id}`)} />}
            </>
          )}
        />
      )}
      {answer?.sessions.some((session) => !session.is_current) && (
        <Action isDangerous label={s.endOthers} run={() => end("/users/me/sessions")} />
      )}
    </Section>
  );
}
