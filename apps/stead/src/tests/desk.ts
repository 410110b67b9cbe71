import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RunningStead, temporaryDirectory } from '@stead/testing'
import { Terminal } from './terminal.ts'

const main = fileURLToPath(new URL('../main.js', import.meta.url))

export interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where someone sits and types commands: a home of their own, a directory, and a Stead that runs, unless there is none. */
export class Desk {
  readonly directory = temporaryDirectory()
  readonly env: NodeJS.ProcessEnv
  readonly stead: RunningStead | undefined

  /** With a Stead of this machine that has a simulated region: commands find it by its data, as they would in practice. */
  static async withStead(options: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {}): Promise<Desk> {
    return new Desk(await RunningStead.start({ args: ['--simulated-region'], ...options }))
  }

  constructor(stead?: RunningStead) {
    this.stead = stead
    const home = join(this.directory, 'home')
    mkdirSync(home)
    this.env = { PATH: process.env.PATH, HOME: home, TERM: 'xterm', ...(stead && { STEAD_DATA: stead.data }) }
  }

  write(name: string, text: string): string {
    writeFileSync(join(this.directory, name), text)
    return name
  }

  /** Runs one command in a pipe, to its end. */
  async run(...args: string[]): Promise<Said> {
    return this.begin(args).ended
  }

  /** Starts one command in a pipe. */
  begin(args: readonly string[], { env = {}, input = '' }: { env?: NodeJS.ProcessEnv; input?: string } = {}) {
    const child = spawn(process.execPath, [main, ...args], { cwd: this.directory, env: { ...this.env, ...env } })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', text => {
        said[name] += text
      })
    child.stdin.end(input)
    const ended = new Promise<Said>(resolve => child.on('close', code => resolve({ code, ...said })))
    return { said, ended, interrupt: () => child.kill('SIGINT') }
  }

  /** Runs one command in a terminal. */
  terminal(
    args: readonly string[],
    options: { columns?: number; rows?: number; env?: NodeJS.ProcessEnv } = {},
  ): Terminal {
    const { env = {}, ...size } = options
    return new Terminal([process.execPath, main, ...args], {
      cwd: this.directory,
      env: { ...this.env, ...env },
      ...size,
    })
  }
}

/** What differs from run to run, made the same. */
export const steady = (text: string): string =>
  text
    .replaceAll(/\b([a-z]+)_[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b[0-9a-f]{32}\b/g, 'TRACE')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\b\d+[smhd]\b/g, 'AGE')
