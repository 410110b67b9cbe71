import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { createToken, type LaunchSpec, launchToken, type ServiceLaunch, serverTags } from '@stead/provider-kit'
import { plainService } from '@stead/provider-kit/contract'
import { describeWith } from '@stead/testing'
import { newId, realWorld as world } from '@stead/world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signal } from './machine/processes.ts'
import { owner, services, shell, TestRegion } from './tests/region.ts'
import { rootArchive, sha256 } from './tests/root-archive.ts'

const [first, second] = ['planted-first-secret', 'planted-second-secret']
const secretFile = (path: string, content: string, more = {}) => ({
  ...{ path, content: Buffer.from(content), secret: true },
  ...more,
})

/** Everything of the region that is in a file and not only in memory. */
const onDisk = (directory: string): string =>
  globSync(`${directory}/**/*`)
    .filter(path => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map(path => readFileSync(path, 'latin1'))
    .join('\n')

/** What every process of the machine shows of itself. */
const shownBy = (file: 'cmdline' | 'environ'): readonly string[] =>
  globSync(`/proc/[0-9]*/${file}`).map(path => {
    try {
      return readFileSync(path, 'latin1')
    } catch {
      return '' // it ended meanwhile
    }
  })

describeWith('bubblewrap', 'secrets', () => describe.each(['full', 'basic'] as const)('at %s isolation', secrets))

function secrets(isolation: 'full' | 'basic'): void {
  let region: TestRegion
  let image: string
  beforeAll(async () => {
    region = await TestRegion.open({ isolation })
    const content = rootArchive('first')
    const spec = {
      ...{ name: 'root', tags: serverTags(owner, 'image'), architecture: 'x86_64' as const },
      ...{ sizeBytes: content.length, sha256: sha256(content) },
      async *open() {
        yield content
      },
    }
    image = (await region.provider.images!.create(spec, createToken(newId(world, 'img')))).id
  })
  afterAll(() => region?.close())

  const serverId = () => newId(world, 'srv')
  const specOf = (id: string, main: ServiceLaunch): LaunchSpec => ({
    ...{ name: 'test', power: 'on', tags: serverTags(owner, id) },
    source: services({ main }),
  })
  async function launched(main: ServiceLaunch) {
    const server = serverId()
    const spec = specOf(server, main)
    const { id } = await region.provider.launch(spec, launchToken(server, 1))
    await region.until(id, 'running')
    return { id, spec, update: (to: ServiceLaunch) => region.provider.update!(id, spec, specOf(server, to)) }
  }
  const pidOf = (id: string) => region.state(id).services.main!.run?.first?.pid

  test.each(['host', 'image'])(
    'on the programs of a %s are in memory, with their modes, and gone with it',
    async on => {
      const files = [
        secretFile('/run/secrets/db', first),
        secretFile('/etc/app/key', first, { mode: 0o440 }),
        secretFile(on === 'host' ? '/data/own' : '/root/own', first),
        { path: '/run/plain', content: Buffer.from('plain'), secret: false, mode: 0o640 },
      ]
      const main = plainService(on === 'host' ? 'host' : image, {
        ...{ command: ['/bin/sh', '-c', 'exec sleep 600'], files, secretEnv: { TOKEN: second } },
        pullSecret: { server: 'r', username: 'u', password: second },
      })
      const { id } = await launched(main)
      for (const { path, content } of files)
        expect((await region.exec(id, ['cat', path])).text, path).toBe(content.toString())
      const modes = await Promise.all(files.map(async ({ path }) => (await region.exec(id, ['ls', '-l', path])).text))
      expect(modes.map(text => text.slice(0, 10))).toEqual(['-r--------', '-r--r-----', '-r--------', '-rw-r-----'])
      expect((await region.exec(id, ['sh', '-c', 'echo $TOKEN'])).text).toBe(`${second}\n`)
      const kept = onDisk(region.directory)
      const lists = shownBy('cmdline')
      for (const value of [first, second]) {
        expect(kept).not.toContain(value)
        expect(kept).not.toContain(Buffer.from(value).toString('base64').slice(0, 20))
        expect(lists.join('\n')).not.toContain(value)
      }
      const supervisor = await region.supervisor()
      expect(readFileSync(`/proc/${supervisor}/environ`, 'latin1')).not.toContain(second)
      await region.provider.terminate(id)
      await region.eventually('it to be gone', () => !region.instances().includes(id) || undefined)
      expect(globSync(`/proc/${supervisor}/root${region.directory}/**/*`).filter(path => path.includes(id))).toEqual([])
    },
  )

  test('that change in the environment start it again with the new one, once, however often that is said', async () => {
    const main = shell('exec sleep 600', { secretEnv: { TOKEN: first } })
    const { id, update } = await launched(main)
    const before = pidOf(id)
    const after = { ...main, secretEnv: { TOKEN: second } }
    await update(after)
    await region.eventually(
      'another process',
      () => (pidOf(id) !== before && region.state(id).services.main?.state === 'running') || undefined,
    )
    const now = pidOf(id)
    const isGiven = (text: string) => text.includes(`TOKEN=${second}\0`)
    await region.eventually('its environment', () => shownBy('environ').some(isGiven) || undefined)
    await update(after)
    expect(pidOf(id)).toBe(now)
    expect(onDisk(region.directory)).not.toContain(second)
    await region.provider.stop(id)
    await region.until(id, 'stopped')
    await update({ ...main, secretEnv: { TOKEN: 'third' } })
    await region.provider.start(id)
    await region.until(id, 'running')
    expect((await region.exec(id, ['sh', '-c', 'echo $TOKEN'])).text).toBe('third\n')
  })

  test('that change in a file are told by a signal to the same process', async () => {
    const script = `trap 'echo reloaded $(cat /run/db)' HUP; echo up; while :; do sleep 0.05; done`
    const main = (content: string) => shell(script, { files: [secretFile('/run/db', content, { signal: 'SIGHUP' })] })
    const { id, update } = await launched(main(`${first}-which-is-longer`))
    await region.printed(id, 'up')
    const before = pidOf(id)
    await update(main('short'))
    expect(await region.printed(id, /reloaded short\n/)).toContain('reloaded short\n')
    expect(pidOf(id)).toBe(before)
    expect((await region.exec(id, ['stat', '-c', '%a', '/run/db'])).text).toBe('400\n')
  })

  test('that change after the death of the supervisor that laid them out start it again', async () => {
    const main = (content: string) =>
      shell(`trap '' HUP; cat /run/db; exec sleep 600`, {
        files: [secretFile('/run/db', content, { signal: 'SIGHUP' })],
      })
    const { id, update } = await launched(main('one\n'))
    await region.printed(id, 'one')
    const before = pidOf(id)
    const supervisor = await region.supervisor()
    signal(supervisor, 'SIGKILL')
    await region.eventually('the supervisor to be dead', () => !existsSync(`/proc/${supervisor}`) || undefined)
    await update(main('two\n'))
    await region.printed(id, 'two')
    expect(pidOf(id)).not.toBe(before)
  })
}
