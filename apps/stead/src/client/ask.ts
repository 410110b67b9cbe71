import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { StartError } from '../exit-codes.ts'
import type { Session } from './session.ts'

/** Asks before something is destroyed. Where nobody is there to answer, only `--yes` is a yes. */
export async function confirm(session: Session, question: string, isYes: boolean | undefined): Promise<void> {
  if (isYes) return
  if (!session.isInteractive)
    throw new StartError('declined', `${question} Say --yes, since nobody is here to be asked`)
  const answer = await ask(`${question} [y/N] `, session.signal)
  if (!/^y(es)?$/i.test(answer.trim())) throw new StartError('declined', 'nothing was done')
}

/** Asks on the terminal, beside the results. */
export async function ask(question: string, signal?: AbortSignal): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question, signal ? { signal } : {})
  } finally {
    terminal.close()
  }
}

/** Asks for what nobody should read over one's shoulder: what is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  try {
    // Only now: the terminal would show what is typed before it was told not to.
    process.stderr.write(question)
    return (await terminal.question('')).trim()
  } finally {
    terminal.close()
    process.stderr.write('\n')
  }
}
