import type { SteadProblem, Unreachable, WaitFailed } from '@stead/sdk'
import type { ExitReason } from '../exit-codes.ts'

const isNamed = <Kind extends Error>(error: unknown, name: Kind['name']): error is Kind =>
  error instanceof Error && error.name === name

/** What became of a command that a server refused, or that found none. Undefined: it was something else. */
export function explainRefusal(error: unknown): { readonly reason: ExitReason; readonly text: string } | undefined {
  if (isNamed<SteadProblem>(error, 'SteadProblem')) return { reason: reasonOf(error), text: problemText(error) }
  if (isNamed<Unreachable>(error, 'Unreachable')) return { reason: 'no_server', text: error.message }
  if (!isNamed<WaitFailed>(error, 'WaitFailed')) return undefined
  const reasons = { late: 'timeout', failed: 'failed', gone: 'not_found' } as const
  return { reason: reasons[error.reason], text: error.message }
}

function reasonOf({ code }: SteadProblem): ExitReason {
  if (code === 'unauthenticated') return 'unauthenticated'
  if (code === 'forbidden') return 'forbidden'
  if (code === 'not_found') return 'not_found'
  return code === 'wait_timeout' ? 'timeout' : 'refused'
}

/** Everything the server said that helps: what, where, what to do, and what finds it in the log. */
const problemText = ({ title, detail, errors, suggestion, traceId }: SteadProblem): string =>
  [
    `${title}: ${detail}`,
    ...errors.filter(({ message }) => !detail.includes(message)).map(({ path, message }) => `  ${path}: ${message}`),
    `  what to do: ${suggestion}`,
    `  trace id: ${traceId}`,
  ].join('\n')
