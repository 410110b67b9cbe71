import { readFileSync } from 'node:fs'
import { describeWith, testWith } from '@stead/testing'
import { expect, onTestFinished } from 'vitest'
import { wordsOf } from './tests/command-line.ts'
import { Desk } from './tests/desk.ts'

const page = readFileSync(new URL('../../../docs/first-steps.md', import.meta.url), 'utf8')

const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text!)

/** The commands of the page, in their order, without what is remarked behind them. */
const commands = blocks('sh').flatMap(block =>
  block
    .trim()
    .split('\n')
    .map(line => line.replace(/\s+#.*$/, '')),
)

/** What someone does at a command that does not end by itself, or asks. Every other one is run as it stands. */
type Act = (desk: Desk, words: readonly string[]) => Promise<void>

const sayYes: Act = async (desk, words) => {
  const terminal = desk.terminal(words)
  await terminal.shows(/\[y\/N\] /)
  terminal.type('y\r')
  expect(await terminal.exited, terminal.text).toBe(0)
}

const acts: Readonly<Record<string, Act>> = {
  'stead serve': async desk => expect((await fetch(`${desk.stead!.url}/readyz`)).status).toBe(200),
  async 'curl http://127.0.0.1:40141'(desk) {
    const { status } = JSON.parse((await desk.run('get', 'instance', 'web', '--json')).stdout)
    expect(await (await fetch(status.endpoints[0].url)).text()).toContain('Directory listing')
  },
  async 'stead logs web -f'(desk, words) {
    const following = desk.begin(words)
    await expect.poll(() => following.said.stdout, { timeout: 20_000 }).toContain('"GET / HTTP/1.1" 200')
    following.interrupt()
    expect((await following.ended).code).toBe(0)
  },
  async 'stead exec -it web -- sh'(desk, words) {
    const terminal = desk.terminal(words)
    terminal.type('exit 4\r')
    expect(await terminal.exited, terminal.text).toBe(4)
  },
  'stead delete web': sayYes,
  async 'stead apply -f shop.yaml --prune'(desk, words) {
    desk.write('shop.yaml', blocks('yaml')[0]!.split('---\n')[0]!)
    await sayYes(desk, words)
    expect((await desk.run('ps', '-o', 'name')).stdout).toBe('web\n')
  },
  // cli/login.test.ts logs in.
  'stead login https://stead.example.com': async () => undefined,
}

describeWith('bubblewrap', 'docs/first-steps.md', () => {
  testWith(
    'python',
    'is followed word for word, and everything on it is so',
    async () => {
      for (const known of Object.keys(acts)) expect(commands).toContain(known)
      const desk = await Desk.withStead({ args: [], env: { STEAD_FIND_REGIONS: 'true' } })
      // What runs on this machine outlives its Stead.
      onTestFinished(async () => {
        for (const name of ['web', 'worker']) await desk.run('delete', name, '--yes')
      }, 60_000)
      desk.write('shop.yaml', blocks('yaml')[0]!)
      for (const command of commands) {
        const words = wordsOf(command).slice(1)
        const act = acts[command]
        if (act) await act(desk, words)
        else {
          const { code, stderr } = await desk.run(...words)
          expect(code, `${command}\n${stderr}`).toBe(0)
        }
      }
    },
    180_000,
  )
})
