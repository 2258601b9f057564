/** Parts of the page that are loaded on first use. */
import { lazy } from "../parts/lazy.tsx";

export const LazyHistory = lazy(() => import("../dialogs/edit-history.tsx").then((module) => module.EditHistory));
export const LazyMove = lazy(() => import("../dialogs/move.tsx").then((module) => module.MoveDialog));
export const LazyMoveTopic = lazy(() => import("../dialogs/move.tsx").then((module) => module.MoveTopicDialog));
export const LazyIdentity = lazy(() => import("../dialogs/identity.tsx").then((module) => module.IdentityDialog));
export const LazyReceipts = lazy(() => import("../dialogs/receipts.tsx").then((module) => module.Receipts));
export const LazyReport = lazy(() => import("../dialogs/report.tsx").then((module) => module.ReportDialog));
export const LazyReminder = lazy(() => import("../dialogs/pick-time.tsx").then((module) => module.ReminderDialog));
export const LazyPickTime = lazy(() => import("../dialogs/pick-time.tsx").then((module) => module.PickTime));
export const LazyJumpToDate = lazy(() => import("../dialogs/pick-time.tsx").then((module) => module.JumpToDate));
export const LazyPoll = lazy(() => import("../dialogs/new-widget.tsx").then((module) => module.NewPoll));
export const LazyTodo = lazy(() => import("../dialogs/new-widget.tsx").then((module) => module.NewTodo));
export const LazyStatus = lazy(() => import("../dialogs/status.tsx").then((module) => module.StatusDialog));
export const LazyNewDirect = lazy(() => import("../dialogs/new-direct.tsx").then((module) => module.NewDirect));
export const LazyPalette = lazy(() => import("../dialogs/palette.tsx").then((module) => module.Palette));
export const LazySettings = lazy(async () => {
  const { Settings, settingTextsReady } = await import("../../settings/settings.tsx");
  await settingTextsReady();
  return Settings;
});
