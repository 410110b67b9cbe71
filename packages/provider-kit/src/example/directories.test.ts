import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realWorld, seconds } from '@stead/world'
import { type ContractSubject, plainService, runProviderContractTests } from '../contract/index.ts'
import type { LaunchSource, Owner, Tags } from '../index.ts'
import { createToken, serverTags } from '../index.ts'
import { directories } from './directories.ts'

const owner: Owner = { controlPlane: 'cp-contract', region: 'reg-contract' }

const unit = (image: string, env: Record<string, string> = {}): LaunchSource => ({
  type: 'services',
  kind: 'deployment',
  services: { main: plainService(image, { env }) },
})

async function subject(): Promise<ContractSubject> {
  const root = await mkdtemp(join(tmpdir(), 'stead-directories-'))
  const connect = (directory = root) =>
    directories.connect({ configuration: { root: directory }, credentials: {}, owner, world: realWorld })
  const provider = await connect()
  const marker = (id: string) => join(root, id, 'disk', 'marker')
  let planted = 0

  /** Launched by us, and then given to somebody else. */
  async function plant(tags: Tags): Promise<string> {
    const id = `planted-${++planted}`
    const spec = { name: id, source: unit('none'), power: 'on' as const, tags: serverTags(owner, id) }
    await provider.launch(spec, createToken(id))
    const file = join(root, id, 'kept.json')
    const { server, fingerprint } = JSON.parse(await readFile(file, 'utf8'))
    await writeFile(file, JSON.stringify({ server: { ...server, tags }, fingerprint }))
    return id
  }

  return {
    provider,
    owner,
    world: realWorld,
    connect: () => connect(),
    limits: { concurrency: 20, pageSize: null, launch: seconds(2), transition: seconds(2), cancel: seconds(1) },
    sources: { minimal: unit('none'), other: unit('none', { MODE: 'other' }), invalid: unit('web:1') },
    backend: {
      plant,
      remove: id => rm(join(root, id), { recursive: true, force: true }),
      count: async () => (await readdir(root)).length,
    },
    unreachable: () => connect(join(root, 'not-mounted')),
    badCredentials: { not: 'a directory needs none' },
    provoke: { not: 'a directory is never full here' },
    inside: {
      write: (id, text) => writeFile(marker(id), text),
      read: id => readFile(marker(id), 'utf8').catch(() => undefined),
    },
    bootId: { not: 'a directory does not boot' },
    groups: {},
    close: () => rm(root, { recursive: true, force: true }),
  }
}

runProviderContractTests('directories', subject)
