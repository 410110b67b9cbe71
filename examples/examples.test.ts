import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { RunningStead } from '@stead/testing'
import { expect, onTestFinished, test } from 'vitest'

/** Starts an example as its first line says, in the region that every machine has. */
function start(example: string, { url, token }: RunningStead) {
  const env = { ...process.env, STEAD_URL: url, STEAD_TOKEN: token, STEAD_REGION: 'simulated' }
  const path = fileURLToPath(new URL(example, import.meta.url))
  const program = spawn(process.execPath, [path], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { text: '' }
  for (const stream of [program.stdout, program.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said.text += text
    })
  const exited = new Promise<number | null>(resolve => program.on('close', resolve))
  onTestFinished(async () => {
    program.kill('SIGKILL')
    await exited
  })
  return { said, exited }
}

const simulated = () => RunningStead.start({ args: ['--simulated-region'] })

/** What each must say. One without an entry here fails: nothing is shown that was not run. */
const says: Readonly<Record<string, RegExp>> = {
  'first-instance.ts': /^hello is running.*\nhello is gone\n$/,
  'quotas.ts': /instances: 0 of any number\n[\s\S]*one more instance fits\nrefused, as expected: .*nobody/,
}

test('every example is run', () => {
  const examples = readdirSync(new URL('.', import.meta.url)).filter(name => /(?<!\.test)\.ts$/.test(name))
  expect(examples.sort()).toEqual([...Object.keys(says), 'follow.ts'].sort())
})

test.each(Object.entries(says))(
  '%s does what it says',
  async (example, expected) => {
    const { said, exited } = start(example, await simulated())
    expect(await exited, said.text).toBe(0)
    expect(said.text).toMatch(expected)
  },
  60_000,
)

test('follow.ts tells what another example does', async () => {
  const stead = await simulated()
  const follower = start('follow.ts', stead)
  const other = start('first-instance.ts', stead)
  expect(await other.exited, other.said.text).toBe(0)
  await expect.poll(() => follower.said.text, { timeout: 20_000 }).toMatch(/hello running[\s\S]*hello gone/)
}, 60_000)
