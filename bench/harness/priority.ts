import { execFileSync } from 'node:child_process'

/** Who stands for callers on other machines takes processors only while nobody here wants them. */
export const goLast = (): void => schedule('--idle', '0')

/**
 * Does something ahead of all others, so that a late clock of who measures is not taken for a late answer. Only root may: others
 * do it as everything else is done.
 */
export async function goingFirst<Result>(act: () => Promise<Result>): Promise<Result> {
  schedule('--fifo', '--reset-on-fork', '1')
  try {
    return await act()
  } finally {
    schedule('--other', '0')
  }
}

/** The thread that runs JavaScript, and nothing it starts. A mere `nice` lets others finish their turn, which takes milliseconds. */
function schedule(...policyAndPriority: readonly string[]): void {
  try {
    execFileSync('chrt', ['--pid', ...policyAndPriority, String(process.pid)], { stdio: 'ignore' })
  } catch {
    // Not here, or not for us.
  }
}
