import { loadUws } from "../../../http/server/uws.ts";

/** The HTTP builds that there are on this machine, as `PARLEY_HTTP_BUILD` names them. */
export const httpBuilds: readonly ("native" | "javascript")[] =
  loadUws().flavour === "native" ? ["native", "javascript"] : ["javascript"];
