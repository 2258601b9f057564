/** https://www.dropbox.com/developers/reference/webhooks */
import type { Integration } from "../notice/integration.ts";

/** It tells that something changed, and of whom; what it was would have to be asked with a token of theirs. */
export const dropbox: Integration = {
  name: "dropbox",
  displayName: "Dropbox",
  verification: { isEchoed: true },
  read: () => ({ topic: "Dropbox", content: "Files in Dropbox have changed." }),
};
