import { testWith } from '@stead/testing'
import { expect, test } from 'vitest'
import { Desk, steady } from '../tests/desk.ts'

const runWeb = ['run', 'web', '--port', 'http', '--label', 'tier=web', '--region', 'simulated', '--', 'serve']

test('in a pipe there are no colours, progress is beside the results, and JSON is nothing but JSON', async () => {
  const desk = await Desk.withStead()
  const ran = await desk.run(...runWeb)
  expect(ran.code).toBe(0)
  expect(steady(ran.stdout)).toBe('web is running\n  http://10.0.0.2:20001\n')
  expect(ran.stderr).toMatch(/^(web is (pending|provisioning|starting|running)( \(\w+\))?\n)+$/)
  expect(steady((await desk.run('ps')).stdout)).toBe(
    [
      'NAME  PHASE    READY  REGION     ENDPOINTS              AGE',
      'web   running  yes    simulated  http://10.0.0.2:20001  AGE',
      '',
    ].join('\n'),
  )
  const { stdout, stderr } = await desk.run('ps', '--json')
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toMatchObject([
    { metadata: { name: 'web', labels: { tier: 'web' } }, status: { phase: 'running' } },
  ])
  expect(steady((await desk.run('get', 'instance', 'web', '-o', 'yaml')).stdout)).toMatchInlineSnapshot(`
    "kind: instance
    metadata:
      id: inst_…
      name: web
      organizationId: org_…
      projectId: prj_…
      labels:
        tier: web
      generation: 1
      revision: 10
      createdAt: TIME
      createdBy: sa_…
      deletedAt: null
    spec:
      region: reg_…
      source:
        services:
          kind: deployment
          services:
            web:
              image: host
              command:
                - serve
              ports:
                - name: http
      power: on
      onServerLoss: fail
      onCrash: restart
      drift: report
      deletionProtection: false
      paused: false
    status:
      phase: running
      phaseSince: TIME
      ready: true
      observedGeneration: 1
      suspended: null
      power: on
      health: healthy
      addresses:
        private:
          - 10.0.0.2
        public: []
        mac: 02:00:00:00:00:01
      endpoints:
        - service: web
          name: http
          protocol: tcp
          host: 10.0.0.2
          port: 20001
          url: http://10.0.0.2:20001
          public: false
      services:
        web:
          state: running
          ready: true
          restarts: 0
      release: null
      replica: null
      operation: null
      conditions: []
    "
  `)

  const events = steady((await desk.run('events', 'web')).stdout).split('\n')
  expect(events[0]).toMatch(/^TIME +OF +REASON +MESSAGE$/)
  expect(events[1]).toMatch(/^TIME +web +Created +by admin, in simulated$/)

  const stopped = await desk.run('stop', 'web', '--json')
  expect(stopped).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(stopped.stdout)).toMatchObject({ status: { phase: 'stopped' } })
  expect(await desk.run('delete', 'web')).toEqual({
    code: 27,
    stdout: '',
    stderr:
      'This deletes:\n  instance web, with its disk, addresses and everything in it\nstead: Delete? Say --yes, since nobody is here to be asked\n',
  })
  expect(steady((await desk.run('get', 'instance', 'nobody')).stderr)).toBe(
    [
      'stead: Not found: there is no instance "nobody" here',
      '  what to do: check the name or id, and the project it is in',
      '  trace id: TRACE',
      'stead: check its name and the project: `stead ps` lists instances, `stead contexts` says where you are',
      '',
    ].join('\n'),
  )
}, 90_000)

const redrawn = '\r\x1b[K'

/** What is left on the screen: a line that is drawn over is seen once. */
const screen = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(line => line.split(redrawn).at(-1))
    .join('\n')

testWith(
  'python',
  'in a terminal there are colours and one line of progress, and deleting asks',
  async () => {
    const desk = await Desk.withStead()
    const run = desk.terminal(runWeb)
    expect(await run.exited, run.text).toBe(0)
    expect(run.text.split(redrawn)).toContainEqual(expect.stringMatching(/^[⠀-⣿] web is provisioning .*… \d+s$/))
    expect(screen(run.text)).toBe('web is running\n  http://10.0.0.2:20001\n')

    const ps = desk.terminal(['ps'])
    expect(await ps.exited).toBe(0)
    expect(ps.text).toContain('\x1b[32mrunning\x1b[0m')
    const plain = desk.terminal(['ps'], { env: { NO_COLOR: '1' } })
    expect(await plain.exited).toBe(0)
    expect(plain.text).not.toContain('\x1b')

    const declined = desk.terminal(['delete', 'web'])
    await declined.shows(/Delete\? \[y\/N\] /)
    declined.type('n\r')
    expect(await declined.exited).toBe(27)
    expect(declined.text).toContain('nothing was done')
    const agreed = desk.terminal(['delete', 'web'])
    await agreed.shows(/Delete\? \[y\/N\] /)
    agreed.type('y\r')
    expect(await agreed.exited, agreed.text).toBe(0)
    expect(screen(agreed.text)).toMatch(/web is gone\n$/)
  },
  90_000,
)

testWith(
  'python',
  'Ctrl-C in a terminal leaves a clean line and says what goes on',
  async () => {
    const desk = await Desk.withStead()
    const run = desk.terminal(['wait', 'web', '--phase', 'stopped'])
    expect(await run.exited).toBe(24)
    await desk.run(...runWeb)
    const wait = desk.terminal(['wait', 'web', '--phase', 'stopped'])
    await wait.shows(/web is running/)
    wait.type('\x03')
    expect(await wait.exited).toBe(130)
    expect(wait.text).toMatch(/nothing was stopped: what happens to web goes on on the server\r\n$/)
  },
  60_000,
)
