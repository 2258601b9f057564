import { loadUws } from "../../../http/server/builds/uws.ts";

/** The native build of this machine, as it calls itself; undefined where none loads. */
export const nativeBuild: string | undefined = (() => {
  try {
    return loadUws("native").build;
  } catch {
    return undefined;
  }
})();

/** The HTTP builds that there are on this machine, as `PARLEY_HTTP_BUILD` names them. */
export const httpBuilds: readonly ("native" | "javascript")[] =
  nativeBuild === undefined ? ["javascript"] : ["native", "javascript"];
