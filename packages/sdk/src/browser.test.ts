import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { commandPath, RunningStead, temporaryDirectory, testWith } from '@stead/testing'
import { build, type Rolldown } from 'vite'
import { expect, onTestFinished } from 'vitest'
import { servePage } from './tests/page-server.ts'

/** As whoever writes a page bundles it. What only Node has does not get in. */
async function bundle(entry: string): Promise<string> {
  const refuseNode = {
    name: 'refuse-node',
    enforce: 'pre' as const,
    resolveId(id: string, from: string | undefined) {
      if (id.startsWith('node:')) throw new Error(`${from} imports ${id}, which no browser has`)
    },
  }
  const [output] = (await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [refuseNode],
    build: { write: false, target: 'esnext', lib: { entry, formats: ['es'] } },
  })) as Rolldown.RolldownOutput[]
  return output!.output[0].code
}

/** Nothing but loopback can be reached from it, and nothing of it stays. */
function openBrowser(url: string): void {
  const quiet = ['gpu', 'quic', 'background-networking', 'component-update', 'sync', 'default-apps', 'dev-shm-usage']
  const home = temporaryDirectory()
  const args = [
    ...[
      '--headless',
      '--no-sandbox',
      '--no-first-run',
      `--user-data-dir=${home}`,
      ...quiet.map(each => `--disable-${each}`),
    ],
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    url,
  ]
  const env = { PATH: process.env.PATH, HOME: home }
  const browser = spawn(commandPath('chromium', 'chromium'), args, { env, stdio: 'ignore', detached: true })
  const ended = new Promise(resolve => browser.on('close', resolve))
  onTestFinished(async () => {
    // With all the processes that it started.
    if (browser.exitCode === null) process.kill(-browser.pid!, 'SIGKILL')
    await ended
  })
}

testWith(
  'chromium',
  'in a browser it lists, follows, reads logs and runs commands at its own origin, and reaches no other',
  async () => {
    const { url, token } = await RunningStead.start({ args: ['--simulated-region'] })
    const script = await bundle(fileURLToPath(new URL('./tests/in-browser.ts', import.meta.url)))
    const page = await servePage({ script, about: { token, elsewhere: url }, stead: url })
    openBrowser(page.url)
    expect(await page.told).toEqual({
      phase: 'running',
      names: ['web'],
      lines: expect.arrayContaining([expect.stringContaining('started')]),
      said: 'hello\n',
      exit: { code: 0 },
      phases: expect.arrayContaining(['running', 'gone']),
      left: 'enough',
      isStrangerKeptOut: true,
    })
  },
  120_000,
)
