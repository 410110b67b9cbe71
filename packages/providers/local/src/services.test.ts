import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describeWith } from '@stead/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { treeOf } from './machine/processes.ts'
import { processOf, services, shell, sleeper, TestRegion } from './tests/region.ts'

/** Answers every connection with a line, and every request with a page. */
const listener = (variable: string, page = 'hello') =>
  `exec perl -MIO::Socket::INET -e '
    $s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => $ENV{${variable}}, Listen => 5, ReuseAddr => 1) or die $!;
    while ($c = $s->accept) { while (<$c>) { last if /^\\s*$/ } print $c "HTTP/1.0 200 OK\\r\\n\\r\\n${page}\\n"; close $c }'`

async function fetchPage(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port })
  socket.write('GET / HTTP/1.0\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

describeWith('bubblewrap', 'services as processes', () => {
  let region: TestRegion
  beforeAll(async () => {
    region = await TestRegion.open({ pidsLimit: 48 })
  })
  afterAll(() => region?.close())

  test('inits run in order and to success before the rest, and what depends on something waits for it', async () => {
    const main = shell('cat /shared/trace; test -e /shared/up && echo sidecar was up; sleep 600', {
      dependsOn: ['proxy'],
      volumes: [{ name: 'shared', path: '/shared', readOnly: false }],
    })
    const volumes = main.volumes
    const { id } = await region.running(
      services({
        main,
        second: shell('echo second >> /shared/trace', {
          role: 'init',
          volumes,
          dependsOn: ['first'],
          restart: 'never',
        }),
        proxy: shell('sleep 0.3; touch /shared/up; sleep 600', {
          role: 'sidecar',
          volumes,
          healthChecks: [
            {
              type: 'command',
              command: ['test', '-e', '/shared/up'],
              intervalSeconds: 0.1,
              timeoutSeconds: 5,
              healthyThreshold: 1,
              unhealthyThreshold: 100,
            },
          ],
        }),
        first: shell('sleep 0.2; echo first >> /shared/trace', { role: 'init', volumes, restart: 'never' }),
      }),
    )
    expect(await region.printed(id, 'sidecar was up')).toMatch(/^first\nsecond\n/)
    const info = await region.provider.describe(id)
    expect(info.services.first).toMatchObject({ state: 'exited', exitCode: 0, reason: 'Completed' })
    expect(info.services.proxy).toMatchObject({ state: 'running', ready: true, health: 'healthy' })
  })

  test('an init that fails for good stops the instance, and says which it was', async () => {
    const { id } = await region.launch(
      services({ main: shell('sleep 600'), setup: shell('exit 3', { role: 'init', restart: 'never' }) }),
    )
    const info = await region.until(id, 'stopped')
    expect(info.stateReason).toBe('Error: setup exited with code 3')
    expect(info.services.main).toMatchObject({ state: 'waiting', restarts: 0 })
  })

  test('a declared port is reached from outside, an undeclared one is not, and services share their network', async () => {
    const main = shell(listener('PORT_HTTP'), {
      ports: [{ name: 'http', protocol: 'tcp' }],
      env: { HIDDEN: '34567' },
      healthChecks: [
        {
          type: 'http',
          port: 'http',
          path: '/',
          intervalSeconds: 0.1,
          timeoutSeconds: 5,
          healthyThreshold: 1,
          unhealthyThreshold: 50,
        },
      ],
    })
    const { id } = await region.running(
      services({ main, hidden: shell(listener('HIDDEN', 'hidden'), { role: 'sidecar', env: { HIDDEN: '34567' } }) }),
    )
    const { endpoints } = await region.eventually('its health', async () => {
      const info = await region.provider.describe(id)
      return info.services.main?.health === 'healthy' ? info : undefined
    })
    expect(endpoints).toMatchObject([{ service: 'main', name: 'http', protocol: 'tcp', host: '127.0.0.1' }])
    expect(await fetchPage(endpoints[0]!.port)).toContain('hello')
    await expect(fetchPage(34567)).rejects.toThrow('ECONNREFUSED')
    const { text } = await region.exec(id, ['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/34567; echo >&3; cat <&3'])
    expect(text).toContain('hidden')
  })

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

  test('words take the environment, and files and secrets are its own', async () => {
    const main = shell('echo "$0 $1 $2"; cat /etc/app/app.ini /secret; stat -c %a /secret; ls /etc/passwd; sleep 600', {
      args: ['$(GREETING)', '$$(GREETING)', '$(UNKNOWN)'],
      env: { GREETING: 'good morning' },
      secretEnv: { TOKEN: 'hush' },
      files: [
        { path: '/etc/app/app.ini', content: Buffer.from('config\n'), secret: false },
        { path: '/secret', content: Buffer.from('whisper\n'), secret: true },
      ],
    })
    const { id } = await region.running(services({ main }))
    const text = await region.printed(id, '/etc/passwd')
    expect(text).toBe('good morning $(GREETING) $(UNKNOWN)\nconfig\nwhisper\n400\n/etc/passwd\n')
    const kept = readFileSync(`${region.directory}/instances/${id}/launch.json`, 'utf8')
    expect(kept).not.toMatch(/hush|whisper|aHVzaA|d2hpc3Blcg/)
    expect(readFileSync(`/proc/${processOf(region, id)}/cmdline`, 'utf8')).not.toContain('hush')
  })

  test('what loads code into programs is set inside only', async () => {
    const { id } = await region.running(
      services({ main: shell('sleep 600', { env: { LD_PRELOAD: '/data/none.so', PLAIN: 'x' } }) }),
    )
    const { text } = await region.exec(id, ['sh', '-c', 'echo $LD_PRELOAD $PLAIN'])
    expect(text).toContain('/data/none.so x')
  })

  test('a process that fails is started again, each time later, and its restarts are counted', async () => {
    const { id } = await region.launch(services({ main: shell('echo run; exit 7', { restart: 'onFailure' }) }))
    const info = await region.eventually('two restarts', async () => {
      const { services } = await region.provider.describe(id)
      return services.main!.restarts >= 2 ? services.main : undefined
    })
    expect(info).toMatchObject({ exitCode: 7, reason: 'Error' })
    const times = await region.eventually('three runs', async () => {
      const found: number[] = []
      for await (const { at, line } of region.provider.logs!(id, {})) if (line === 'run') found.push(at)
      return found.length >= 3 ? found : undefined
    })
    expect(times[2]! - times[1]!).toBeGreaterThan(times[1]! - times[0]! - 100)
    await region.provider.terminate(id)
  })

  test('a main service that ends well is stopped, and says so', async () => {
    const { id } = await region.launch(services({ main: shell('exit 0', { restart: 'onFailure' }) }))
    const info = await region.until(id, 'stopped')
    expect(info.stateReason).toBe('Completed: main exited with code 0')
    expect(info.services.main).toMatchObject({ state: 'exited', exitCode: 0 })
  })

  test('stopping asks first, and kills when the grace is over', async () => {
    const polite = shell(`trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done`)
    const deaf = shell(`trap '' TERM; echo up; while :; do sleep 0.05; done`, {
      stopGraceSeconds: 0.5,
      role: 'sidecar',
    })
    const { id } = await region.running(services({ main: polite, deaf }))
    await region.printed(id, 'up')
    await region.printed(id, 'up', 'deaf')
    await region.provider.stop(id)
    const { services: ended } = await region.until(id, 'stopped')
    expect(ended.main).toMatchObject({ state: 'exited', exitCode: 5 })
    expect(ended.deaf).toMatchObject({ state: 'exited', exitCode: 137 })
    expect(await region.printed(id, 'bye')).toContain('bye')
  })

  test('who takes more memory than it may is killed, and it is said', async () => {
    const hog = shell(`perl -e '$x = "a" x (400 * 2 ** 20); sleep 600'`, {
      restart: 'never',
      resources: { memoryMiB: 64 },
    })
    const { id } = await region.launch(services({ main: hog }))
    const info = await region.until(id, 'stopped')
    expect(info.services.main).toMatchObject({ state: 'exited', exitCode: 137, reason: 'OOMKilled' })
    expect(info.stateReason).toContain('OOMKilled')
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
      command: ['sh', '-c', `trap 'echo caught' INT; echo ready; read -r line; read -r line; echo got $line; exit 4`],
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

  test('what an exec session leaves behind ends with it', async () => {
    const { id } = await region.running(sleeper)
    const session = await region.provider.exec!(id, { command: ['sh', '-c', 'sleep 43210 & echo up; sleep 43210'] })
    for await (const { data } of session.output) if (Buffer.from(data).toString().includes('up')) break
    await session.close()
    await region.eventually('they to be gone', async () => {
      const { text } = await region.exec(id, ['sh', '-c', `cat /proc/[0-9]*/cmdline | tr '\\0' ' '`])
      return !text.includes('sleep 43210 ') || undefined
    })
  })

  test('what can never work is refused before anything is made', async () => {
    const wrong = {
      'a volume at "/a/../b" holds ".."': shell('', { volumes: [{ name: 'v', path: '/a/../b', readOnly: false }] }),
      'a file at "etc/x" is not absolute': shell('', {
        files: [{ path: 'etc/x', content: Buffer.alloc(0), secret: false }],
      }),
      'a file at "/x/../../etc/x" holds ".."': shell('', {
        files: [{ path: '/x/../../etc/x', content: Buffer.alloc(0), secret: false }],
      }),
      'port low cannot be 80': shell('', { ports: [{ name: 'low', protocol: 'tcp', port: 80 }] }),
      'there are no gpus': shell('', { resources: { gpus: 1 } }),
      'services wait for each other: main → main': shell('', { dependsOn: ['main'] }),
      'which is not declared': shell('', {
        healthChecks: [
          { type: 'tcp', port: 'x', intervalSeconds: 1, timeoutSeconds: 1, healthyThreshold: 1, unhealthyThreshold: 1 },
        ],
      }),
    }
    const before = region.instances()
    for (const [words, main] of Object.entries(wrong))
      await expect(region.launch(services({ main }))).rejects.toThrow(words)
    expect(region.instances()).toEqual(before)
  })
})
