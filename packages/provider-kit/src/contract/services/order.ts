import { expect, test } from 'vitest'
import type { ServicesBench } from './bench.ts'

const often = { intervalSeconds: 0.1, timeoutSeconds: 10, healthyThreshold: 1, unhealthyThreshold: 100 }

/** In what order services start and end, and what becomes of those that fail. */
export function orderTests(bench: () => ServicesBench): void {
  const shell: ServicesBench['shell'] = (script, besides) => bench().shell(script, besides)

  test('inits run in order and to success before the rest, and what depends on something waits for it', async () => {
    const volumes = [{ name: 'shared', path: '/shared', readOnly: false }]
    const { id } = await bench().running({
      main: shell('cat /shared/trace; test -e /shared/up && echo sidecar was up; exec sleep 600', {
        dependsOn: ['proxy'],
        volumes,
      }),
      second: shell('echo second >>/shared/trace', { role: 'init', volumes, dependsOn: ['first'], restart: 'never' }),
      proxy: shell('sleep 0.3; touch /shared/up; exec sleep 600', {
        role: 'sidecar',
        volumes,
        healthChecks: [{ type: 'command', command: ['test', '-e', '/shared/up'], ...often }],
      }),
      first: shell('sleep 0.2; echo first >>/shared/trace', { role: 'init', volumes, restart: 'never' }),
    })
    expect(await bench().printed(id, 'sidecar was up')).toMatch(/^first\nsecond\n/)
    const { services } = await bench().provider.describe(id)
    expect(services.first).toMatchObject({ state: 'exited', exitCode: 0, reason: 'Completed' })
    expect(services.proxy).toMatchObject({ state: 'running', ready: true, health: 'healthy' })
    await bench().provider.stop(id)
    await bench().until(id, 'stopped')
    await bench().provider.start(id)
    await bench().until(id, 'running')
    // Its inits ran again, and what is in its volume is still there.
    expect((await bench().exec(id, 'cat /shared/trace')).text).toBe('first\nsecond\nfirst\nsecond\n')
    await bench().gone(id)
  })

  test('an init that fails for good stops the instance, and says which it was', async () => {
    const { id } = await bench().launch({
      main: shell('exec sleep 600'),
      setup: shell('exit 3', { role: 'init', restart: 'never' }),
    })
    const info = await bench().until(id, 'stopped')
    expect(info.stateReason).toBe('Error: setup exited with code 3')
    expect(info.services.main).toMatchObject({ state: 'waiting', restarts: 0 })
    await bench().gone(id)
  })

  test('a process that fails is started again, and its restarts are counted', async () => {
    const { id } = await bench().launch({ main: shell('echo run; exit 7', { restart: 'onFailure' }) })
    const main = await bench().eventually('two restarts', async () => {
      const { services } = await bench().provider.describe(id)
      return services.main!.restarts >= 2 && services.main!.exitCode !== undefined && services.main
    })
    expect(main).toMatchObject({ exitCode: 7, reason: 'Error' })
    await bench().printed(id, /run\n(.*\n)*run\n(.*\n)*run/)
    await bench().gone(id)
  })

  test('a main service that ends well is stopped, and says so', async () => {
    const { id } = await bench().launch({ main: shell('exit 0', { restart: 'onFailure' }) })
    const info = await bench().until(id, 'stopped')
    expect(info.stateReason).toBe('Completed: main exited with code 0')
    expect(info.services.main).toMatchObject({ state: 'exited', exitCode: 0 })
    await bench().gone(id)
  })

  test('a command that is not there stops the instance, and says so', async () => {
    const { id } = await bench().launch({
      main: shell('', { command: ['there-is-no-such-command'], restart: 'never' }),
    })
    const info = await bench().until(id, 'stopped')
    expect(info.stateReason).toMatch(/there-is-no-such-command|exited with code (1|127)$/)
    await bench().gone(id)
  })

  test('stopping asks first, and kills when the grace is over', async () => {
    const { id } = await bench().running({
      main: shell(`trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done`, { stopGraceSeconds: 10 }),
      deaf: shell(`trap '' TERM; echo up; while :; do sleep 0.05; done`, { role: 'sidecar' }),
    })
    await bench().printed(id, 'up')
    await bench().printed(id, 'up', 'deaf')
    await bench().provider.stop(id)
    const { services, stateReason } = await bench().until(id, 'stopped')
    expect(stateReason).toBeUndefined()
    expect(services.main).toMatchObject({ state: 'exited', exitCode: 5 })
    expect(services.deaf).toMatchObject({ state: 'exited', exitCode: 137 })
    expect(await bench().printed(id, 'bye')).toContain('bye')
    await bench().gone(id)
  })

  test('one service can be restarted, and the others go on', async () => {
    const { id } = await bench().running({
      main: shell('exec sleep 600'),
      side: shell('echo up; exec sleep 600', { role: 'sidecar', stopGraceSeconds: 0 }),
    })
    await bench().printed(id, 'up', 'side')
    await bench().provider.reboot!(id, { service: 'side', hard: true })
    await bench().printed(id, /up\nup/, 'side')
    const { state, services } = await bench().provider.describe(id)
    expect([state, services.main!.restarts]).toEqual(['running', 0])
    await bench().gone(id)
  })

  test('who takes more memory than it may is killed, and it is said', async () => {
    const { id } = await bench().launch({
      main: shell(bench().subject.hog(400), { restart: 'never', resources: { memoryMiB: 64 } }),
    })
    const { services, stateReason } = await bench().until(id, 'stopped')
    expect(services.main).toMatchObject({ state: 'exited', exitCode: 137, reason: 'OOMKilled' })
    expect(stateReason).toContain('OOMKilled')
    await bench().gone(id)
  })
}

/** What is refused before anything is there. It counts what there is: nothing else may go on meanwhile. */
export function refusalTests(bench: () => ServicesBench): void {
  const shell: ServicesBench['shell'] = (script, besides) => bench().shell(script, besides)

  test('what can never work is refused before anything is made', async () => {
    const wrong = {
      'a volume at "/a/../b" holds ".."': shell('', { volumes: [{ name: 'v', path: '/a/../b', readOnly: false }] }),
      'a file at "etc/x" is not absolute': shell('', {
        files: [{ path: 'etc/x', content: Buffer.alloc(0), secret: false }],
      }),
      'there are no gpus': shell('', { resources: { gpus: 1 } }),
      'services wait for each other: main → main': shell('', { dependsOn: ['main'] }),
      'depends on nobody, which is not there': shell('', { dependsOn: ['nobody'] }),
      'which is not declared': shell('', { healthChecks: [{ type: 'tcp', port: 'x', ...often }] }),
    }
    const before = await bench().subject.count()
    for (const [words, main] of Object.entries(wrong)) await expect(bench().launch({ main })).rejects.toThrow(words)
    expect(await bench().subject.count()).toBeLessThanOrEqual(before)
  })
}
