import { runInNewContext } from 'node:vm'

/** For all patterns of one request together: a bad one takes ages for a short text, and nothing else is done meanwhile. */
const longestMillis = 100

export interface Match {
  readonly pattern: string
  readonly text: string
}

const isPattern = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, 'u') !== undefined
  } catch {
    return false
  }
}

/** Whether each text matches its pattern; `unknown` for all when that takes too long, or a pattern is none. */
export function matches(all: readonly Match[]): readonly boolean[] | 'unknown' {
  if (all.length === 0) return []
  if (!all.every(({ pattern }) => isPattern(pattern))) return 'unknown'
  try {
    // Only there can a regular expression be stopped. Nothing of ours is in its reach but these texts.
    const found = runInNewContext(
      'JSON.stringify(JSON.parse(all).map(({ pattern, text }) => new RegExp(pattern, "u").test(text)))',
      { all: JSON.stringify(all) },
      { timeout: longestMillis },
    )
    return JSON.parse(String(found)) as boolean[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'unknown'
    throw error
  }
}

export { isPattern }
