/** What a server shows in each fault, and when nothing is wrong, as promtool takes it: a sample a minute. */

interface Fault {
  input: Readonly<Record<string, string>>;
  /** When its alert rings. */
  at: string;
  labels: Readonly<Record<string, string>>;
}

const page = { severity: "page" };
const ticket = { severity: "ticket" };
const a = { instance: "a" };

const sends = 'route="/messages",method="POST",status="2xx"';
const sendCount = `parley_http_request_seconds_count{${sends}}`;
const sendsInTime = `parley_http_request_seconds_bucket{${sends},le="1"}`;
const deliveriesInTime = 'parley_delivery_seconds_bucket{le="1"}';

/** A series of one node. */
const one = (name: string, values: string, labels = "") => ({ [`${name}{instance="a"${labels}}`]: values });
const fault = (input: Fault["input"], at: string, labels: Fault["labels"]): Fault => ({ input, at, labels });

export const faults: Readonly<Record<string, Fault>> = {
  ParleySendsLate: fault({ [sendCount]: "0+100x90", [sendsInTime]: "0+50x90" }, "80m", page),
  ParleySendsLateForLong: fault({ [sendCount]: "0+1000x240", [sendsInTime]: "0+995x240" }, "4h", ticket),
  ParleyDeliveriesLate: fault(
    { parley_delivery_seconds_count: "0+100x90", [deliveriesInTime]: "0+50x90" },
    "80m",
    page,
  ),
  ParleyDeliveriesLateForLong: fault(
    { parley_delivery_seconds_count: "0+1000x240", [deliveriesInTime]: "0+995x240" },
    "4h",
    ticket,
  ),
  ParleyDown: fault({ 'up{job="parley",instance="a"}': "0x10" }, "5m", { ...page, ...a, job: "parley" }),
  ParleyNotReady: fault(one("parley_ready", "0x10"), "5m", { ...page, ...a }),
  ParleyOrganizationStuck: fault(
    { ...one("parley_realm_stuck", "1x10", ',realm="2"'), ...one("parley_ready", "1x10") },
    "5m",
    {
      ...page,
      ...a,
      realm: "2",
    },
  ),
  ParleyNoWriter: fault(
    { ...one("parley_realms_written", "1x10"), ...one("parley_realms_loaded", "2x10") },
    "5m",
    page,
  ),
  ParleyWriterFails: fault(one("parley_writer_failures_total", "0+1x20"), "18m", { ...page, ...a }),
  ParleyFenced: fault(one("parley_commits_fenced_total", "0+1x70"), "65m", { ...ticket, ...a }),
  ParleyEventLoopLate: fault(one("nodejs_eventloop_lag_p99_seconds", "0.9x20"), "10m", { ...page, ...a }),
  ParleyReplicaBehind: fault(
    { ...one("parley_replica_lag_ms", "9000x10"), ...one("parley_replica_lag_positions", "5x10") },
    "5m",
    { ...page, ...a },
  ),
  ParleyPublishFails: fault(one("parley_publish_failures_total", "0+1x20"), "15m", { ...ticket, ...a }),
  ParleyForwardsFail: fault(one("parley_forward_seconds_count", "0+5x20", ',outcome="unknown"'), "15m", {
    ...page,
    ...a,
  }),
  ParleyForged: fault(one("parley_cluster_refused_total", "0+1x20", ',what="message"'), "15m", {
    ...ticket,
    ...a,
    what: "message",
  }),
  ParleyMailboxFull: fault(one("parley_writer_mailbox_depth", "9000x10"), "5m", { ...page, ...a }),
  ParleyLogLost: fault(one("parley_log_lines_dropped_total", "0+3x20"), "15m", { ...ticket, ...a }),
  ParleySpansDropped: fault(one("parley_trace_spans_total", "0+5x60", ',outcome="dropped"'), "50m", {
    ...ticket,
    ...a,
    outcome: "dropped",
  }),
  ParleyLogInsRefused: fault(one("parley_log_ins_refused_total", "0+600x30", ',by="password"'), "25m", ticket),
  ParleyCommitsSlow: fault(
    {
      ...one("parley_commit_seconds_bucket", "0+1x30", ',le="0.5"'),
      ...one("parley_commit_seconds_bucket", "0+100x30", ',le="2"'),
      ...one("parley_commit_seconds_bucket", "0+100x30", ',le="+Inf"'),
    },
    "20m",
    ticket,
  ),
  ParleyPoolExhausted: fault(
    {
      ...one("parley_database_begin_seconds_bucket", "0+1x30", ',pool="common",le="1"'),
      ...one("parley_database_begin_seconds_bucket", "0+100x30", ',pool="common",le="2.5"'),
      ...one("parley_database_begin_seconds_bucket", "0+100x30", ',pool="common",le="+Inf"'),
    },
    "20m",
    { ...page, ...a, pool: "common" },
  ),
  ParleyStatementLong: fault(one("parley_database_longest_statement_seconds", "90x20"), "10m", ticket),
  ParleyTransactionLong: fault(one("parley_database_longest_transaction_seconds", "400x20"), "10m", ticket),
  ParleyConnectionsFew: fault(
    { ...one("parley_database_connections", "95x20"), ...one("parley_database_max_connections", "100x20") },
    "10m",
    page,
  ),
  ParleyOldDatabase: fault(one("parley_database_refused_total", "0+1x20"), "15m", { ...ticket, ...a }),
  ParleyOutgoingLate: fault(one("parley_outgoing_oldest_seconds", "1000x30", ',queue="mail"'), "20m", {
    ...ticket,
    queue: "mail",
  }),
  ParleyDiskFull: fault(
    { ...one("parley_disk_free_bytes", "5x20"), ...one("parley_disk_size_bytes", "100x20") },
    "10m",
    { ...page, ...a },
  ),
  ParleyDiskFills: fault(one("parley_disk_free_bytes", "1000000000-1000000x600"), "150m", { ...ticket, ...a }),
  ParleyQuotaReached: fault(
    { ...one("parley_upload_bytes", "95x30", ',realm="2"'), ...one("parley_upload_quota_bytes", "100x30") },
    "20m",
    { ...ticket, realm: "2" },
  ),
  ParleyQuarantineOld: fault(one("parley_uploads_quarantined_oldest_seconds", "0+60x120"), "80m", ticket),
  // A PostgreSQL that is away for ten minutes does not begin the hours anew.
  ParleyImportUnfinished: fault(one("parley_imports_unfinished", "1x200 _x10 1x200"), "390m", ticket),
  ParleyExportPending: fault(one("parley_exports_pending", "1x200 _x10 1x200"), "390m", ticket),
};

/** Nothing is wrong: a minute's sends and deliveries, all in time, and every series where it should be. */
export const healthy: Readonly<Record<string, string>> = {
  [sendCount]: "0+100x500",
  [sendsInTime]: "0+100x500",
  // A client's own fault burns no budget.
  'parley_http_request_seconds_count{route="/messages",method="POST",status="4xx"}': "0+100x500",
  parley_delivery_seconds_count: "0+100x500",
  [deliveriesInTime]: "0+100x500",
  'up{job="parley",instance="a"}': "1x500",
  ...one("parley_ready", "1x500"),
  ...one("parley_realms_written", "2x500"),
  ...one("parley_realms_loaded", "2x500"),
  ...one("parley_writer_failures_total", "0x500"),
  // A few wait for a moment, now and then.
  ...one("parley_uploads_quarantined_oldest_seconds", "0 30 2x498"),
  ...one("parley_commits_fenced_total", "0x500"),
  ...one("nodejs_eventloop_lag_p99_seconds", "0.02x500"),
  ...one("parley_replica_lag_ms", "3x500"),
  ...one("parley_replica_lag_positions", "0x500"),
  ...one("parley_publish_failures_total", "0x500"),
  ...one("parley_forward_seconds_count", "0x500", ',outcome="unknown"'),
  ...one("parley_cluster_refused_total", "0x500", ',what="message"'),
  ...one("parley_writer_mailbox_depth", "3x500"),
  ...one("parley_log_lines_dropped_total", "0x500"),
  ...one("parley_trace_spans_total", "0x500", ',outcome="dropped"'),
  ...one("parley_log_ins_refused_total", "0+1x500", ',by="password"'),
  ...one("parley_commit_seconds_bucket", "0+100x500", ',le="0.5"'),
  ...one("parley_commit_seconds_bucket", "0+100x500", ',le="+Inf"'),
  ...one("parley_database_begin_seconds_bucket", "0+100x500", ',pool="common",le="1"'),
  ...one("parley_database_begin_seconds_bucket", "0+100x500", ',pool="common",le="+Inf"'),
  ...one("parley_database_longest_statement_seconds", "0.1x500"),
  ...one("parley_database_longest_transaction_seconds", "0.1x500"),
  ...one("parley_database_connections", "20x500"),
  ...one("parley_database_max_connections", "100x500"),
  ...one("parley_database_refused_total", "0x500"),
  ...one("parley_outgoing_oldest_seconds", "5x500", ',queue="mail"'),
  ...one("parley_disk_free_bytes", "50000000000-1000x500"),
  ...one("parley_disk_size_bytes", "100000000000x500"),
  ...one("parley_upload_bytes", "10x500", ',realm="2"'),
  ...one("parley_upload_quota_bytes", "100x500"),
  ...one("parley_imports_unfinished", "0x500"),
  ...one("parley_exports_pending", "0x500"),
};
