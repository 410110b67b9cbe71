import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { realWorld as world } from '@stead/world'
import { describe, expect, test } from 'vitest'
import { PipeReader } from '../logs/pipe.ts'
import { childrenOf, isAlive, killTree, markOf, signal } from '../machine/processes.ts'
import { findProgram } from '../machine/programs.ts'
import { type Errand, type Monitor, Monitors } from './monitors.ts'

/** Has a monitor run something; answers what it prints, and how it ends. */
function run(monitor: Monitor, command: readonly string[], errand: Partial<Errand> = {}) {
  const directory = temporaryDirectory()
  const at = (name: string) => join(directory, name)
  execFileSync('mkfifo', [at('stdout'), at('stderr')])
  writeFileSync(at('args'), 'args\n')
  writeFileSync(at('filter'), 'filter\n')
  const printed = { stdout: '', stderr: '' }
  const readers = (['stdout', 'stderr'] as const).map(
    stream => new PipeReader(at(stream), chunk => (printed[stream] += chunk)),
  )
  const silent = Promise.all(readers.map(({ ended }) => ended))
  const ended = monitor.ended(silent)
  const open = new Promise<void>(resolve =>
    monitor.run({
      ...{ directory, args: at('args'), filter: at('filter'), doors: [], command, onOpen: resolve },
      ...errand,
    }),
  )
  const all = async () => {
    const code = await ended
    await silent
    return { code, ...printed, recorded: readFileSync(at('status'), 'utf8') }
  }
  return { open, ended, all, at }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(resolve => setTimeout(resolve, 2))
}

const shells: [[string, ...string[]]][] = [[['sh']], [['dash']], [['bash']], [['busybox', 'sh']]]

describe.each(shells.filter(([[name]]) => findProgram(name)))('%j', shell => {
  const monitors = new Monitors(world, shell)

  test('runs what it is told, word for word, with its files open, and says how it ended', async () => {
    const words = ['', ' a  b ', "it's", '$HOME `x` "y" \\n \\', 'two\nlines\n', '\n', '-n', '--', 'ö', '*']
    const say = 'for word; do printf "[%s]" "$word"; done; cat <&3; cat <&6 >&2; exit 7'
    const { all } = run(await monitors.take(), ['sh', '-c', say, 'sh', ...words])
    expect(await all()).toEqual({
      code: 7,
      stdout: `${words.map(word => `[${word}]`).join('')}args\n`,
      stderr: 'filter\n',
      recorded: '{ "exit-code": 7 }\n',
    })
  })

  test('what it runs ignores no signal, reads nothing, and holds nothing of ours', async () => {
    const look = 'grep SigIgn /proc/self/status; cat; ls /proc/$$/fd; exit 0'
    const { stdout } = await run(await monitors.take(), ['sh', '-c', look], { filter: undefined }).all()
    expect(stdout).toContain('SigIgn:\t0000000000000000\n')
    expect(stdout.match(/^\d$/gm)).toEqual(['0', '1', '2', '3', '4'])
  })

  test('joins before it runs anything; what cannot join does not run', async () => {
    const door = join(temporaryDirectory(), 'tasks')
    writeFileSync(door, '')
    const joined = run(await monitors.take(), ['cat', door], { doors: [door] })
    expect(await joined.all()).toMatchObject({ code: 0, stdout: '0\n' })
    const mark = join(temporaryDirectory(), 'ran')
    const refused = run(await monitors.take(), ['touch', mark], { doors: ['/nowhere/tasks'] })
    expect(await refused.ended).toBe(125)
    expect(existsSync(mark)).toBe(false)
  })

  test('one that was killed is told of, whether or not it had begun', async () => {
    const early = await monitors.take()
    const { ended } = run(early, ['sleep', '600'], { doors: [neverOpens()] })
    signal(early.mark.pid, 'SIGKILL')
    expect(await ended).toBe(137)
    const late = await monitors.take()
    const running = run(late, ['sleep', '600'])
    await running.open
    await until(() => childrenOf(late.mark.pid).length > 0)
    const command = markOf(childrenOf(late.mark.pid)[0]!)!
    killTree(late.mark.pid)
    expect(await running.ended).toBe(137)
    await until(() => !isAlive(command))
  })

  test('there are as many as are wanted, each of them another process', async () => {
    const taken = await Promise.all(Array.from({ length: 20 }, () => monitors.take()))
    expect(new Set(taken.map(({ mark }) => mark.pid)).size).toBe(20)
    expect(taken.every(({ mark }) => isAlive(mark))).toBe(true)
    const codes = taken.map((monitor, index) => run(monitor, ['sh', '-c', `exit ${index}`]).ended)
    expect(await Promise.all(codes)).toEqual(taken.map((_, index) => index))
  })
})

/** A door that nobody gets through. */
function neverOpens(): string {
  const path = join(temporaryDirectory(), 'tasks')
  execFileSync('mkfifo', [path])
  return path
}

test('shells that were told nothing end with us', () => {
  const here = JSON.stringify(new URL('./monitors.ts', import.meta.url).href)
  const script = `
    import { realWorld } from '@stead/world'
    const { Monitors } = await import(${here})
    console.log((await new Monitors(realWorld).take()).mark.pid)
    process.exit()`
  const options = { encoding: 'utf8', cwd: import.meta.dirname } as const
  const pid = Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], options))
  return until(() => !existsSync(`/proc/${pid}`))
})
