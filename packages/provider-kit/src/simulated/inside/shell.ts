import { type ExecSignal, execSignals } from '../../groups/exec.ts'
import type { Command, Process } from './process.ts'

/** The commands that exist inside a simulated server. Enough to try everything a terminal can do. */
export const commands: Readonly<Record<string, Command>> = {
  async echo(process, args) {
    await process.say(`${args.join(' ')}\n`)
    return 0
  },

  /** As `echo`, to the other stream. */
  async complain(process, args) {
    await process.say(`${args.join(' ')}\n`, 'stderr')
    return 0
  },

  async exit(_, [code = '0']) {
    return Number(code)
  },

  /** A file, or what comes in. */
  async cat(process, [path]) {
    if (path === undefined) {
      for await (const chunk of input(process)) await process.say(chunk)
      return 0
    }
    const content = process.surroundings.read(path)
    if (content) await process.say(content)
    else await process.say(`cat: ${path}: no such file\n`, 'stderr')
    return content ? 0 : 1
  },

  /** Puts what comes in into a file. */
  async save(process, [path = '/dev/null']) {
    const chunks: Uint8Array[] = []
    for await (const chunk of input(process)) chunks.push(chunk)
    process.surroundings.write(path, Buffer.concat(chunks))
    return 0
  },

  async rm(process, [path = '']) {
    return process.surroundings.delete(path) ? 0 : 1
  },

  async sleep(process, [seconds = '0']) {
    await process.surroundings.sleep(Number(seconds) * 1_000, process.ended)
    return 0
  },

  /** So many bytes, in chunks of 4 KiB. */
  async fill(process, [bytes = '0']) {
    for (let left = Number(bytes); left > 0 && !process.ended.aborted; left -= 4_096)
      await process.say(new Uint8Array(Math.min(left, 4_096)).fill(0x78))
    return 0
  },

  /** A line into the log. */
  async print(process, args) {
    process.surroundings.print(args.join(' '))
    return 0
  },

  async env(process) {
    for (const [name, value] of Object.entries(process.surroundings.env)) await process.say(`${name}=${value}\n`)
    return 0
  },

  async tty(process) {
    await process.say(process.hasTty ? 'a tty\n' : 'not a tty\n')
    return process.hasTty ? 0 : 1
  },

  /** The size of the terminal, again for each line that comes in. */
  async size(process) {
    for await (const _ of input(process)) await process.say(`${process.size.rows} ${process.size.columns}\n`)
    return 0
  },

  /** Waits for a signal, says so, and ends with a code. */
  async await(process, [name = 'TERM', code = '0']) {
    const signal = execSignals.find(known => known === name) as ExecSignal
    const caught = new Promise<void>(resolve => process.trap(signal, resolve))
    await process.say('ready\n')
    await Promise.race([caught, new Promise(resolve => process.ended.addEventListener('abort', resolve))])
    await process.say(`caught ${name}\n`)
    return Number(code)
  },

  /** Whether another address answers at a port. */
  async reach(process, [address = '', port = '0']) {
    return process.surroundings.reaches(address, Number(port)) ? 0 : 1
  },
}

/** Runs it, or says that there is no such command, as a shell does. */
export function start(process: Process, [name = '', ...args]: readonly string[]): void {
  const command = Object.hasOwn(commands, name) ? commands[name]! : missing(name)
  void process.run(command, args)
}

const missing =
  (name: string): Command =>
  async process => {
    await process.say(`${name}: not found\n`, 'stderr')
    return 127
  }

async function* input(process: Process): AsyncIterable<Uint8Array> {
  for (;;) {
    const chunks = await process.input.take()
    if (!chunks) return
    yield* chunks
  }
}
