#!/usr/bin/env node
/** The command line. */
import { ConfigError, readConfig } from "./config.ts";
import { startServer } from "./main.ts";

async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const server = await startServer(config, (line) => console.log(line));
  const address = config.externalUrl;
  if (server.firstStart) {
    const { email, password, apiKey, zuliprc, channel } = server.firstStart;
    console.log(`
Your organization is ready, and you own it. This is shown once:

  URL       ${address}
  Email     ${email}
  Password  ${password}
  API key   ${apiKey}

The same is in ${zuliprc}, which the Zulip clients read. Say hello:

  curl -sS -u '${email}:${apiKey}' ${address}/api/v1/messages -d type=channel -d 'to=${channel}' -d topic=hello -d 'content=Hello, Parley!'
`);
  }
  console.log(`Parley serves on ${address}`);
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), 5000).unref();
    void server.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

try {
  await serve();
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
