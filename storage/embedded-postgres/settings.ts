/** Settings for one chat server that has the machine to itself. Anyone who needs others brings their own server. */
export function settingsOf(port: number, isDurable: boolean): string[] {
  // Without fsync a commit still survives the end of every process, only not that of the machine.
  const durability = isDurable ? "on" : "off";
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 200,
    shared_buffers: "256MB",
    fsync: durability,
    full_page_writes: durability,
    synchronous_commit: "on",
    // Nobody replicates from this server.
    wal_level: "minimal",
    max_wal_senders: 0,
    max_wal_size: "2GB",
    // A third of what a page takes that is written whole after a checkpoint. Every build has this way of compressing.
    wal_compression: "pglz",
    // Compiling costs more than any of Parley's short queries.
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    log_line_prefix: "%m [%p] ",
    log_checkpoints: "off",
    // A failed statement is told to Parley; here its text and values would put people's messages into a log.
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}
