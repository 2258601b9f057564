/** What this node logs, by part of the server: read and changed while it runs, by whoever runs it. */
import { record, string } from "superstruct";
import { badRequest } from "../../../actors/errors.ts";
import { logLevels, logModules } from "../../../actors/logger.ts";
import { described } from "../../../actors/shape.ts";
import { checkOperator } from "../../api/operators.ts";
import { nodeRoute } from "../../api/route.ts";

const returns = { levels: described(record(string(), string()), "The level of each part.") };

export const getLogLevels = nodeRoute({
  doc: "ARCHITECTURE.md",
  summary: "The level of each part of this node's log, for whoever runs the server.",
  returns,
  handle({ app, exchange }) {
    checkOperator(app, exchange);
    return { levels: app.logLevels.all() };
  },
});

/** Pages of other sites cannot ask for it: PATCH needs their browser's leave, which no answer gives. */
export const changeLogLevel = nodeRoute({
  doc: "ARCHITECTURE.md",
  summary: "Changes the level of a part of this node's log until it ends: `module` and `level` in the address.",
  returns,
  handle({ app, exchange }) {
    checkOperator(app, exchange);
    const given = new URLSearchParams(exchange.query);
    const module = logModules.find((each) => each === given.get("module"));
    const level = logLevels.find((each) => each === given.get("level"));
    if (!module) throw badRequest(`module must be one of ${logModules.join(", ")}.`);
    if (!level) throw badRequest(`level must be one of ${logLevels.join(", ")}.`);
    app.logLevels.set(module, level);
    return { levels: app.logLevels.all() };
  },
});
