/**
 * Loaded into a command (`NODE_OPTIONS=--import`). Ends its process like `kill -9` when it has told of a certain step.
 * Or so many turns of its event loop later, which is in the middle of the next step.
 */
const { PARLEY_TEST_KILL_AT: line, PARLEY_TEST_KILL_TURNS: turns } = process.env;
const write = process.stderr.write.bind(process.stderr);
process.stderr.write = (text, ...rest) => {
  const result = write(text, ...rest);
  if (line !== undefined && String(text).includes(line)) killIn(Number(turns ?? 0));
  return result;
};

function killIn(count) {
  if (count <= 0) process.kill(process.pid, "SIGKILL");
  else setImmediate(() => killIn(count - 1));
}
