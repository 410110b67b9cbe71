import { existsSync, readFileSync } from 'node:fs'
import { type LaunchSpec, launchToken, type ServiceLaunch, serverTags } from '@stead/provider-kit'
import { describeWith } from '@stead/testing'
import { newId, realWorld as world } from '@stead/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signal } from './machine/processes.ts'
import { owner, processOf, services, shell, TestRegion } from './tests/region.ts'

const mebibyte = 2 ** 20

/** Holds this much memory, and says when it does. */
const holder = (mebibytes: number) =>
  `exec perl -e '$| = 1; $x = "x" x (${mebibytes} * 1024 * 1024); print "held\\n"; sleep 600'`

describeWith('bubblewrap', 'a launched instance whose resources change', () => {
  let region: TestRegion
  beforeAll(async () => {
    region = await TestRegion.open()
  })
  afterAll(() => region?.close())

  const serverId = newId(world, 'srv')

  function specOf(resources: ServiceLaunch['resources'], script = 'exec sleep 600', id = newId(world, 'srv')) {
    const source = services({ main: shell(script, { resources, secretEnv: { PASSWORD: 'hush' } }) })
    return { name: 'test', source, power: 'on', tags: serverTags(owner, id) } as const satisfies LaunchSpec
  }

  const change = (spec: LaunchSpec, resources: ServiceLaunch['resources'], script?: string): LaunchSpec => ({
    ...spec,
    source: specOf(resources, script).source,
  })

  async function launched(spec: LaunchSpec, id = serverId): Promise<string> {
    const server = await region.provider.launch(spec, launchToken(id, 1))
    await region.until(server.id, 'running')
    return server.id
  }

  test('has the new limits at once and in the same process, after a stop, and after the death of its supervisor', async () => {
    const spec = specOf({ memoryMiB: 32 }, undefined, serverId)
    const id = await launched(spec)
    const pid = processOf(region, id)
    const larger = change(spec, { memoryMiB: 128, cpuMillis: 500 })
    await region.provider.update!(id, spec, larger)
    await region.provider.update!(id, spec, larger) // repeated, it is the same
    expect(processOf(region, id)).toBe(pid)
    expect([region.limit(id, 'memory'), region.limit(id, 'cpu')]).toEqual([128 * mebibyte, 50_000])
    for (const group of region.cgroups().filter(path => path.includes(id)))
      expect(readFileSync(`${group}/cgroup.procs`, 'utf8').split('\n'), group).toContain(String(pid))

    const supervisor = await region.supervisor()
    signal(supervisor, 'SIGKILL')
    await region.eventually('the supervisor to be dead', () => !existsSync(`/proc/${supervisor}`) || undefined)
    await region.provider.stop(id)
    await region.until(id, 'stopped')
    await region.provider.start(id)
    await region.until(id, 'running')
    expect([region.limit(id, 'memory'), region.limit(id, 'cpu')]).toEqual([128 * mebibyte, 50_000])
    expect((await region.exec(id, ['sh', '-c', 'echo $PASSWORD'])).text).toBe('hush\n')

    const again = await region.provider.launch(spec, launchToken(serverId, 1))
    expect(again.id, 'the launch it was made by is known again').toBe(id)

    await region.provider.update!(id, larger, change(spec, {}))
    expect([region.limit(id, 'memory'), region.limit(id, 'cpu')]).toEqual([Infinity, Infinity])
  })

  test('gets the limits that were kept for it when its supervisor died before the kernel knew of them', async () => {
    const spec = specOf({ memoryMiB: 32 })
    const id = await launched(spec, 'cut-short')
    await region.provider.update!(id, spec, change(spec, { memoryMiB: 64 }))
    const supervisor = await region.supervisor()
    signal(supervisor, 'SIGKILL')
    await region.eventually('the supervisor to be dead', () => !existsSync(`/proc/${supervisor}`) || undefined)
    region.setMemoryLimit(id, 32 * mebibyte)
    await region.provider.describe(id)
    expect(region.limit(id, 'memory')).toBe(64 * mebibyte)
  })

  test('stays as it is when it uses more memory than it would have', async () => {
    const script = holder(40)
    const spec = specOf({ memoryMiB: 96 }, script)
    const id = await launched(spec, 'holder')
    await region.printed(id, 'held')
    const smaller = region.provider.update!(id, spec, change(spec, { memoryMiB: 16 }, script))
    await expect(smaller).rejects.toMatchObject({ code: 'Conflict', message: expect.stringMatching(/stays as it is/) })
    expect(region.limit(id, 'memory')).toBe(96 * mebibyte)
    expect(region.keptResources(id)).toEqual({ memoryMiB: 96 })
    expect((await region.provider.describe(id)).services.main).toMatchObject({ state: 'running', restarts: 0 })
  })

  test('may not ask for what is not to be had here', async () => {
    const spec = specOf({ memoryMiB: 32 })
    const id = await launched(spec, 'gpus')
    await expect(region.provider.update!(id, spec, change(spec, { gpus: 1 }))).rejects.toThrow(/no gpus/)
    expect(region.keptResources(id)).toEqual({ memoryMiB: 32 })
  })

  test('is told to those who watch when its tags change, and nobody is told its secrets', async () => {
    const spec = specOf({})
    const id = await launched(spec, 'tagged')
    const events = region.provider.watch!({ tags: {} })[Symbol.asyncIterator]()
    await events.next()
    await region.provider.update!(id, spec, { ...spec, tags: { ...spec.tags, 'stead.label.tier': 'web' } })
    for (let tier: string | undefined; tier !== 'web'; ) {
      const { value } = await events.next()
      if (value?.type === 'change' && value.id === id) tier = value.server?.tags['stead.label.tier']
    }
    await events.return?.()
    expect(readFileSync(`${region.directory}/instances/${id}/launch.json`, 'utf8')).not.toContain('hush')
  })
})
