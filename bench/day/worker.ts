/** The process of everybody who is online. See `crew.ts` for what it does. */
import { answer } from "../harness/child.ts";
import { Crew, type CrewPlan } from "./crew.ts";

let made: Crew | undefined;

const crew = (): Crew => {
  if (made === undefined) throw new Error("nobody is there yet");
  return made;
};

answer({
  begin(plan: CrewPlan): void {
    made = new Crew(plan);
  },
  join: (overMs: number) => crew().join(overMs),
  work: () => crew().work(),
  expectRestart: () => crew().expectRestart(),
  served: () => crew().served(),
  announce: (withinMs: number) => crew().announce(withinMs),
  leave: (staying: number) => crew().leave(staying),
  online: () => crew().online,
  take: () => crew().take(),
  check: (patienceMs: number) => crew().check(patienceMs),
});
process.on("disconnect", () => process.exit());
