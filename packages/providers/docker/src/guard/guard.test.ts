import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Provider } from '@stead/provider-kit'
import { describeWith, temporaryDirectory } from '@stead/testing'
import { ContainerEngine, dockerEngine, podmanEngine } from '@stead/testing/engines'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askPort, connectOnItsMachine, eventually, orderOf, printed, services, shell, until } from '../tests/region.ts'
import { Guard, guardOn, listensHere, machineOf, runWith } from './guard.ts'

const range = '10.213.0.0/16'
const request = 'GET / HTTP/1.0\r\n\r\n'
const web = services({
  main: shell('mkdir /var/www; echo inside >/var/www/index.html; exec httpd -f -p 8080 -h /var/www', {
    ports: [{ name: 'http', protocol: 'tcp', port: 8080 }],
    stopGraceSeconds: 0,
  }),
})

for (const kind of [dockerEngine, podmanEngine])
  describeWith(kind.name, `instances of ${kind.name} and the machine they run on`, () => {
    let engine: ContainerEngine
    let provider: Provider
    let guard: Guard
    let cloud: string
    const listeners: ChildProcess[] = []
    const here = (...words: string[]) => {
      const [file, ...args] = [...engine.inNetwork(), ...words]
      return execFileSync(file!, args, { encoding: 'utf8' })
    }
    const listen = (where: readonly string[], port: number, page: string) => {
      const directory = join(engine.directory, page)
      mkdirSync(directory)
      writeFileSync(join(directory, 'index.html'), page)
      const [file, ...args] = [...where, 'busybox', 'httpd', '-f', '-p', String(port), '-h', directory]
      listeners.push(spawn(file!, args, { stdio: 'ignore' }))
    }

    /** A cloud beyond a link, with an address that tells secrets and one that does not; and a service of the machine. */
    beforeAll(async () => {
      engine = await ContainerEngine.start(kind)
      cloud = `${engine.directory.slice(-6)}-cloud`
      execFileSync('ip', ['netns', 'add', cloud])
      here('ip', 'link', 'add', 'near', 'type', 'veth', 'peer', 'name', 'far', 'netns', cloud)
      here('ip', 'address', 'add', '192.0.2.1/24', 'dev', 'near')
      here('ip', 'link', 'set', 'near', 'up')
      for (const words of ['address add 192.0.2.2/24 dev far', 'link set far up', 'link set lo up'])
        execFileSync('ip', ['-n', cloud, ...words.split(' ')])
      execFileSync('ip', ['-n', cloud, 'address', 'add', '169.254.169.254/32', 'dev', 'lo'])
      here('ip', 'route', 'add', '169.254.169.254', 'via', '192.0.2.2')
      listen(['ip', 'netns', 'exec', cloud], 80, 'of-the-cloud')
      listen(engine.inNetwork(), 7400, 'of-the-machine')
      guard = new Guard({ range, kind: kind.name, run: runWith(...engine.inNetwork()) })
      provider = await connectOnItsMachine(engine, { guard: new Guard({ not: 'it is set later' }) })
    }, 120_000)
    afterAll(async () => {
      for (const listener of listeners) listener.kill('SIGKILL')
      await provider?.close()
      await engine?.close()
      if (cloud) execFileSync('ip', ['netns', 'delete', cloud])
    }, 120_000)

    test('are kept apart by the guard, and only from what it names', { timeout: 120_000 }, async () => {
      const { spec, token } = orderOf(web)
      const { id } = await provider.launch(spec, token)
      const { addresses, endpoints } = await until(provider, id, 'running')
      const gateway = addresses.private[0]!.replace(/\d+$/, last => String(Number(last) - (Number(last) % 8) + 1))
      const words = `printf '${request.replaceAll('\r\n', '\\r\\n')}' | nc -w 2`
      const ask = (address: string, port: number) => printed(provider, id, ['sh', '-c', `${words} ${address} ${port}`])
      const answers = (address: string, port: number, page: string) =>
        eventually(`${page} of ${address}`, async () => (await ask(address, port)).includes(page))
      const secret = [['169.254.169.254', 80, 'of-the-cloud'] as const]
      const machine = [gateway, '192.0.2.1'].map(address => [address, 7400, 'of-the-machine'] as const)

      // All of it is there to be had, so that what follows is the guard's doing.
      for (const [address, port, page] of [...secret, ...machine]) await answers(address, port, page)

      await guard.ensure()
      expect(guard.note).toBe('instances reach neither this machine nor a metadata address')
      for (const [address, port] of [...secret, ...machine]) await answers(address, port, 'refused')
      await answers('192.0.2.2', 80, 'of-the-cloud')
      const page = () => askPort(engine, endpoints[0]!.port, request).catch(() => '')
      await eventually('its port', async () => (await page()).includes('inside'))

      // An engine without networks that gets one again puts its own rules there again.
      await provider.stop(id, { hard: true })
      await until(provider, id, 'stopped')
      await provider.start(id)
      await until(provider, id, 'running')
      await answers('192.0.2.2', 80, 'of-the-cloud')
      expect(await ask('169.254.169.254', 80)).not.toContain('of-the-cloud')

      // Somebody loads other rules.
      here('iptables', '-F', 'INPUT')
      await answers(gateway, 7400, 'of-the-machine')
      await guard.ensure()
      await guard.ensure()
      await answers(gateway, 7400, 'refused')
      expect(here('iptables', '-S', 'INPUT').match(/STEAD-GUARD/g)).toHaveLength(1)
      await provider.terminate(id)
    })

    test('are not guarded from here when the engine has its networks elsewhere, and the region says so', () => {
      const sockets = readFileSync('/proc/net/unix', 'utf8')
      expect(listensHere(engine.socket, sockets)).toBe(false)
      expect(guardOn(machineOf(engine.endpoint), range, kind.name).note).toContain('not those of this machine')
      expect(provider.capabilities().notes).toContainEqual(expect.stringContaining('a metadata address too'))
    })
  })

test('a socket of this machine is known as one, by whatever way it is named', async () => {
  const directory = temporaryDirectory()
  const server = createServer()
  await once(server.listen(join(directory, 'socket')), 'listening')
  const sockets = readFileSync('/proc/net/unix', 'utf8')
  expect(listensHere(join(directory, 'socket'), sockets)).toBe(true)
  expect(listensHere(`/proc/self/root${directory}/socket`, sockets)).toBe(true)
  expect(listensHere(join(directory, 'other'), sockets)).toBe(false)
  server.close()
})

test('a guard that cannot do its work says why', async () => {
  const guard = new Guard({ range, kind: 'docker', run: runWith('false') })
  await guard.ensure()
  expect(guard.note).toMatch(/reach what their machine reaches.*: iptables-restore: /)
  expect(guardOn(machineOf('tcp://127.0.0.1:2376'), range, 'docker').note).toContain('over TCP')
})
