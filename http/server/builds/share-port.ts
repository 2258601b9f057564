/**
 * How processes share a port. Node before 22.12 cannot ask for SO_REUSEPORT: there workers have the socket from their
 * supervisor, which node:cluster passes on.
 */
export function sharing(isShared: boolean): { exclusive: boolean; reusePort?: boolean } {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const hasReusePort = major > 22 || (major === 22 && minor >= 12);
  return isShared && !hasReusePort ? { exclusive: false } : { exclusive: true, reusePort: isShared };
}
