/** The part of fs-native-extensions that is used here; it brings no declarations. */
declare module "fs-native-extensions" {
  /** Locks a whole open file for its open description, and so for every process that has it. False: somebody has it. */
  export function tryLock(fd: number): boolean;
}
