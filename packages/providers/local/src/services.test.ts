import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServiceInfo } from '@stead/provider-kit'
import { runServicesTests } from '@stead/provider-kit/contract'
import { describeWith } from '@stead/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { treeOf } from './machine/processes.ts'
import { processOf, services, shell, sleeper, TestRegion } from './tests/region.ts'
import { servicesSubject } from './tests/services-subject.ts'

describeWith('bubblewrap', 'on this machine', () => runServicesTests('local', servicesSubject))

describeWith('bubblewrap', 'services as processes', () => {
  let region: TestRegion
  beforeAll(async () => {
    region = await TestRegion.open({ pidsLimit: 48 })
  })
  afterAll(() => region?.close())

  test('datagrams go in and come back', async () => {
    const main = shell(
      `exec perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalPort => $ENV{PORT_ECHO}, Proto => "udp") or die;
        while ($s->recv($d, 1500)) { $s->send("echo $d") }'`,
      { ports: [{ name: 'echo', protocol: 'udp' }] },
    )
    const { endpoints } = await region.running(services({ main }))
    const socket = createSocket('udp4')
    const reply = once(socket, 'message')
    const timer = setInterval(() => socket.send('hi', endpoints[0]!.port, '127.0.0.1'), 100)
    const [data] = await reply
    clearInterval(timer)
    socket.close()
    expect(String(data)).toBe('echo hi')
  })

  test('what loads code into programs is set inside only', async () => {
    const { id } = await region.running(
      services({ main: shell('sleep 600', { env: { LD_PRELOAD: '/data/none.so', PLAIN: 'x' } }) }),
    )
    const { text } = await region.exec(id, ['sh', '-c', 'echo $LD_PRELOAD $PLAIN'])
    expect(text).toContain('/data/none.so x')
  })

  test('services that start at the same moment share one network, and exec enters it', async () => {
    const names = ['main', 'one', 'two', 'three']
    const of = (name: string) => [name, shell('sleep 600', { role: name === 'main' ? 'main' : 'sidecar' })] as const
    const { id } = await region.launch(services(Object.fromEntries(names.map(of))))
    await region.eventually('all of them', async () => {
      const { services } = await region.provider.describe(id)
      return names.every(name => services[name]?.state === 'running') || undefined
    })
    const networks = names.map(async name => (await region.exec(id, ['readlink', '/proc/self/ns/net'], name)).text)
    expect(new Set(await Promise.all(networks)).size).toBe(1)
  })

  test('a service ends, and says why, when but one of its processes is killed for want of memory', async () => {
    // The shell itself would go on.
    const parent = shell(`perl -e '$x = "a" x (400 * 2 ** 20)'; echo lived on; sleep 600`, {
      restart: 'never',
      resources: { memoryMiB: 64 },
    })
    const { id } = await region.launch(services({ main: parent }))
    const info = await region.until(id, 'stopped')
    expect(info.services.main).toMatchObject({ state: 'exited', exitCode: 137, reason: 'OOMKilled' })
    expect(info.stateReason).toContain('OOMKilled')
  })

  test('an end is told to who watches as it happens, with its reason, while nobody asks for anything', async () => {
    const leaver = { restart: 'never' as const, resources: { memoryMiB: 64 } }
    const waiting = 'mkfifo /data/go; read -r line </data/go;'
    const exits = await region.running(services({ main: shell(`${waiting} exit 23`, leaver) }))
    const starves = await region.running(
      services({ main: shell(`${waiting} perl -e '$x = "a" x (400 * 2 ** 20)'; sleep 600`, leaver) }),
    )
    const stop = new AbortController()
    const watch = region.provider.watch!({ tags: {} }, { signal: stop.signal })[Symbol.asyncIterator]()
    await watch.next() // it is open
    for (const [{ id }, reason] of [
      [exits, 'Error'],
      [starves, 'OOMKilled'],
    ] as const) {
      await region.eventually('its pipe', () => existsSync(region.disk(id, 'main', 'go')) || undefined)
      writeFileSync(region.disk(id, 'main', 'go'), 'go\n')
      let told: ServiceInfo | undefined
      while (told?.state !== 'exited') {
        const { value } = await watch.next()
        if (value?.type === 'change' && value.id === id) told = value.server?.services.main
      }
      expect(told.reason).toBe(reason)
    }
    stop.abort()
  })

  test('what is run inside is under the same filter as the service, with and without a terminal', async () => {
    const { id } = await region.running(sleeper)
    const status = ['grep', '-E', 'Seccomp:|NoNewPrivs:', '/proc/self/status']
    for (const tty of [undefined, { columns: 80, rows: 24 }]) {
      const session = await region.provider.exec!(id, { command: status, ...(tty && { tty }) })
      let text = ''
      for await (const { data } of session.output) text += Buffer.from(data).toString()
      expect(text.replaceAll('\r', '')).toBe('NoNewPrivs:\t1\nSeccomp:\t2\n')
    }
  })

  test('what goes over its network is counted, on through restarts of its services', async () => {
    const { id } = await region.running(sleeper)
    const sent = async () => (await region.provider.metrics!([id])).get(id)!.total.networkSentBytes!
    const send = () => region.exec(id, ['bash', '-c', 'head -c 2000 /dev/zero >/dev/udp/127.0.0.1/9'])
    await send()
    const first = await sent()
    expect(first).toBeGreaterThanOrEqual(2_000)
    await region.provider.reboot!(id, { service: 'main', hard: true })
    await region.eventually('its next process', async () => {
      const { main } = (await region.provider.describe(id)).services
      return (main?.state === 'running' && main.restarts === 1) || undefined
    })
    await send()
    expect(await sent()).toBeGreaterThanOrEqual(first + 2_000)
  })

  test('everything of a service is in its groups, however many start at once', async () => {
    const started = await Promise.all(Array.from({ length: 10 }, () => region.running(sleeper)))
    for (const { id } of started) {
      const groups = region.cgroups().filter(path => path.includes(id)).length
      expect(groups).toBeGreaterThan(0)
      for (const pid of treeOf(processOf(region, id))) {
        const places = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n')
        expect(places.filter(place => place.endsWith(`/${id}.main`)).length).toBe(groups)
      }
      await region.provider.terminate(id)
    }
  })

  test('a fork bomb stays inside its limit', async () => {
    // It has an end of its own: where the limit failed, this machine should survive the test that says so.
    const bomb = shell(
      "exec perl -e 'for (1 .. 500) { $child = fork; sleep 600, exit if defined $child && !$child } sleep 600'",
      {
        restart: 'never',
      },
    )
    const { id } = await region.running(services({ main: bomb }))
    const inside = () => region.cgroups().filter(path => path.includes(id) && existsSync(`${path}/pids.events`))
    await region.eventually('the limit', () => {
      const [group] = inside()
      const events = group && readFileSync(`${group}/pids.events`, 'utf8')
      return (events && Number(/max (\d+)/.exec(events)?.[1]) > 0) || undefined
    })
    expect(Number(readFileSync(`${inside()[0]}/pids.current`, 'utf8'))).toBeLessThanOrEqual(48)
    const other = await region.running(sleeper)
    expect((await region.exec(other.id, ['echo', 'fine'])).text).toBe('fine\n')
    await region.provider.terminate(id)
    await region.eventually('it to be gone', () => inside().length === 0 || undefined)
  })

  test('Ctrl-C reaches a command in a terminal, and does not end the way to it', async () => {
    const { id } = await region.running(sleeper)
    const session = await region.provider.exec!(id, {
      command: [
        'sh',
        '-c',
        `trap 'echo caught' INT; echo ready; until read -r line; do :; done; echo got $line; exit 4`,
      ],
      tty: { columns: 80, rows: 24 },
    })
    let text = ''
    for await (const { data } of session.output) {
      text += Buffer.from(data).toString()
      if (text.endsWith('ready\r\n')) await session.write(Buffer.from('\x03'))
      if (/caught\r\n$/.test(text)) await session.write(Buffer.from('words\n'))
    }
    expect(text).toContain('got words')
    expect((await session.exit).code).toBe(4)
  })

  test('a port that a service has no right to is refused before anything is made', async () => {
    const main = shell('', { ports: [{ name: 'low', protocol: 'tcp', port: 80 }] })
    const before = region.instances()
    await expect(region.launch(services({ main }))).rejects.toThrow('port low cannot be 80')
    expect(region.instances()).toEqual(before)
  })
})
