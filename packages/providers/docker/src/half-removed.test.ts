import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listAll, ownerTags, type Provider } from '@stead/provider-kit'
import { describeWith } from '@stead/testing'
import { ContainerEngine, podmanEngine } from '@stead/testing/engines'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { names } from './server/labels.ts'
import { connect, eventually, orderOf, owner, sleeper, until } from './tests/region.ts'

describeWith('podman', 'containers that Podman has removed by half', () => {
  let engine: ContainerEngine
  let provider: Provider
  beforeAll(async () => {
    engine = await ContainerEngine.start(podmanEngine)
    provider = await connect(engine)
  }, 120_000)
  afterAll(async () => {
    await provider?.close()
    await engine?.close()
  }, 120_000)

  /** Nothing of it runs: what does would not outlive its engine here. */
  const atRest = async () => {
    const { spec, token } = orderOf(sleeper)
    const { id } = await provider.launch({ ...spec, power: 'off' }, token)
    await until(provider, id, 'stopped')
    return id
  }
  const listed = async () => {
    const all = await listAll(provider.list({ tags: ownerTags(owner), states: ['stopped', 'terminated'] }))
    return Object.fromEntries(all.map(({ id, state }) => [id, state]))
  }

  /** What is left when Podman is ended after it has removed the files of a container, and before it has forgotten it. */
  const forgetFiles = async (name: string) => {
    await engine.kill()
    const file = join(engine.directory, 'root/overlay-containers/containers.json')
    const kept = (JSON.parse(readFileSync(file, 'utf8')) as { names: string[] }[]).filter(
      ({ names }) => !names.includes(name),
    )
    writeFileSync(file, JSON.stringify(kept))
    await engine.up()
    await expect(engine.call('GET', '/containers/json?all=true')).rejects.toThrow('container not known')
  }

  test('are gone for who looks, keep no other from being seen, and go with their server', async () => {
    const [other, lost] = [await atRest(), await atRest()]
    await forgetFiles(names.service(lost, 'main'))
    expect(await listed()).toEqual({ [other]: 'stopped', [lost]: 'terminated' })
    await provider.terminate(lost)
    await provider.terminate(other)
    await eventually('nothing to be left', async () => (await engine.everything().catch(() => ['?'])).length === 0)
  }, 120_000)
})
