import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Provider } from '@stead/provider-kit'
import { describeWith } from '@stead/testing'
import { ContainerEngine, dockerEngine } from '@stead/testing/engines'
import { realWorld as world } from '@stead/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docker } from './definition.ts'
import type { Tls } from './engine/client.ts'
import { Authority } from './tests/certificates.ts'
import { orderOf, owner, printed, services, shell, until } from './tests/region.ts'

const port = 2376

/** A way from this network to a port in that of an engine. It carries bytes: what is said over TLS stays said over TLS. */
async function passage(engine: ContainerEngine): Promise<{ readonly port: number; close(): void }> {
  const server = createServer(near => {
    const [file, ...args] = [...engine.inNetwork(), 'busybox', 'nc', '127.0.0.1', String(port)]
    const far = spawn(file!, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    near.on('error', () => far.kill()).on('close', () => far.kill())
    far.stdin.on('error', () => near.destroy())
    near.pipe(far.stdin)
    far.stdout.pipe(near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

describeWith('docker', 'an engine that is reached over TCP', () => {
  let directory: string
  let engine: ContainerEngine
  let way: Awaited<ReturnType<typeof passage>>
  let ours: Authority
  let theirs: Authority
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stead-tls-'))
    ours = new Authority(join(directory, 'ours'))
    theirs = new Authority(join(directory, 'theirs'))
    const { files } = ours.sign('engine', 'serverAuth')
    engine = await ContainerEngine.start({
      name: 'docker',
      command(at, socket) {
        const { words, ...rest } = dockerEngine.command(at, socket)
        const tls = ['--tlsverify', '--tlscacert', ours.caFile, '--tlscert', files.cert, '--tlskey', files.key]
        return { ...rest, words: [...words, '-H', `tcp://127.0.0.1:${port}`, ...tls] }
      },
    })
    way = await passage(engine)
  }, 120_000)
  afterAll(async () => {
    way?.close()
    await engine?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  }, 120_000)

  const connect = (tls: Tls): Promise<Provider> =>
    docker.connect({
      configuration: { endpoint: `tcp://127.0.0.1:${way.port}`, pull: 'never' },
      credentials: { tls },
      ...{ owner, world },
    })

  test('does over TLS what it does over a socket: it launches, tells, and lets commands in', {
    timeout: 120_000,
  }, async () => {
    const { cert, key } = ours.sign('control-plane', 'clientAuth')
    const provider = await connect({ ca: ours.ca, cert, key })
    try {
      const { spec, token } = orderOf(services({ main: shell('echo up; exec sleep 600') }))
      const { id } = await provider.launch(spec, token)
      await until(provider, id, 'running')
      expect(await printed(provider, id, ['echo', 'hello'])).toBe('hello\n')
      for await (const { line } of provider.logs!(id, { follow: true })) {
        expect(line).toBe('up')
        break
      }
      await provider.terminate(id)
      expect(provider.capabilities().notes).toContainEqual(expect.stringContaining('over TCP'))
    } finally {
      await provider.close()
    }
  })

  test('is not spoken to when it or we are not who we should be', async () => {
    const [right, stranger] = [ours.sign('right', 'clientAuth'), theirs.sign('stranger', 'clientAuth')]
    const wrong = {
      'nobody says who we are': { ca: ours.ca },
      'somebody else says it': { ca: ours.ca, cert: stranger.cert, key: stranger.key },
      'nobody we trust says who it is': { ca: theirs.ca, cert: right.cert, key: right.key },
    }
    for (const [why, tls] of Object.entries(wrong))
      await expect(connect(tls), why).rejects.toMatchObject({ code: 'Auth', retryable: false })
  })
})
