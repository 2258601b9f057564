/** What PostgreSQL says unasked. Source: https://www.postgresql.org/docs/current/protocol-error-fields.html */

export interface Notice {
  /** Never translated, unlike `severity_local`. */
  severity?: string;
  message?: string;
  /** The function in PostgreSQL's source that says it. Never translated. */
  routine?: string;
}

/** Waits until the standbys that have to have a commit have it, and warns when somebody ends that wait. */
const waitsForStandbys = "SyncRepWaitForLSN";

export class Notices {
  /** Commits that were confirmed before the standbys had them, so that a promotion may lose them. */
  unreplicated = 0;

  /** @param tell is told of warnings in a sentence */
  constructor(private readonly tell: (sentence: string) => void) {}

  hear({ severity, message, routine }: Notice): void {
    if (routine === waitsForStandbys) this.unreplicated++;
    if (severity === "WARNING") this.tell(`PostgreSQL warns: ${message}`);
  }
}
