import { once } from 'node:events'
import type { Terminal } from '@stead/sdk'

export interface AtTerminal {
  /** Whether what is typed goes there. */
  readonly hasInput: boolean
  /** Whether there is a terminal on both sides: keys go through as they are. */
  readonly isRaw: boolean
  /** The key that ends it on this side, where nothing on the other side would. */
  readonly leavesBy?: number
}

/** Connects our own terminal, or pipes, with one in an instance, until that ends. Leaves ours as it was. */
export async function sitAt(terminal: Terminal, { hasInput, isRaw, leavesBy }: AtTerminal): Promise<void> {
  const { stdin, stdout, stderr } = process
  const resize = () => terminal.resize(stdout.columns, stdout.rows)
  // Without a terminal there, a Ctrl-C here is meant for the command.
  const interrupt = () => terminal.signal('INT')
  const typed = async (data: Buffer) => {
    if (leavesBy !== undefined && data.includes(leavesBy)) return terminal.close()
    stdin.pause()
    await terminal.write(data)
    stdin.resume()
  }
  const ended = () => terminal.end()
  try {
    if (isRaw) {
      stdin.setRawMode(true)
      stdout.on('resize', resize)
      resize()
    } else process.on('SIGINT', interrupt)
    if (hasInput) stdin.on('data', typed).on('end', ended)
    for await (const { stream, data } of terminal.output()) {
      const target = stream === 'stderr' ? stderr : stdout
      if (!target.write(data)) await once(target, 'drain')
    }
  } finally {
    if (isRaw) stdin.setRawMode(false)
    stdout.off('resize', resize)
    process.off('SIGINT', interrupt)
    stdin.off('data', typed).off('end', ended)
    // Whoever types is no longer listened to: nothing else keeps the program from ending.
    stdin.pause().unref?.()
  }
}
