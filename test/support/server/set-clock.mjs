// Loaded before a server (`node --import`). Its clock is as many seconds ahead or behind as the file named by
// TEST_CLOCK says, as if somebody set the machine's. Time that only goes forward, `performance.now()`, is left alone,
// as the kernel leaves it.
import { readFileSync } from "node:fs";

const file = process.env.TEST_CLOCK;
const RealDate = Date;
const now = RealDate.now;
let aheadMs = 0;
const look = () => {
  try {
    aheadMs = Number(readFileSync(file, "utf8")) * 1000;
  } catch {
    // Nobody has set it yet.
  }
};
look();
setInterval(look, 50).unref();
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now() + aheadMs);
    else super(...args);
  }
  static now() {
    return now() + aheadMs;
  }
};
