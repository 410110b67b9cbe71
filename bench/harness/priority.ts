import { constants, setPriority } from 'node:os'

/** Who stands for callers on other machines takes processors only when nobody here wants them. */
export const goLast = (): void => setPriority(constants.priority.PRIORITY_LOW)

/**
 * Does something ahead of all others, so that a late clock of who measures is not taken for a late answer. Only root may; others
 * do it as everything else is done.
 */
export async function goingFirst<Result>(act: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return act()
  setPriority(constants.priority.PRIORITY_HIGHEST)
  try {
    return await act()
  } finally {
    setPriority(constants.priority.PRIORITY_NORMAL)
  }
}
