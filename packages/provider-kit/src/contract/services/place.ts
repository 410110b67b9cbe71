import { expect, test } from 'vitest'
import type { ServicesBench } from './bench.ts'

const often = { intervalSeconds: 0.1, timeoutSeconds: 10, healthyThreshold: 1, unhealthyThreshold: 100 }
/** Below those that a machine gives to whoever asks for any. */
const hidden = '4567'

/** What services find around them: network, files, secrets, volumes, limits. */
export function placeTests(bench: () => ServicesBench): void {
  const shell: ServicesBench['shell'] = (script, besides) => bench().shell(script, besides)
  const listener = (variable: string, page: string) => bench().subject.listener(variable, page)

  test('a declared port is reached from outside, an undeclared one is not, and services share their network', async () => {
    const { id } = await bench().running({
      main: shell(listener('PORT_HTTP', 'hello'), {
        ports: [{ name: 'http', protocol: 'tcp' }],
        healthChecks: [
          { type: 'http', port: 'http', path: '/', ...often },
          { type: 'tcp', port: 'http', ...often },
        ],
      }),
      hidden: shell(listener('HIDDEN', 'found'), { role: 'sidecar', env: { HIDDEN: hidden } }),
    })
    const { endpoints } = await bench().eventually('its health', async () => {
      const info = await bench().provider.describe(id)
      return info.services.main?.health === 'healthy' && info
    })
    expect(endpoints).toMatchObject([{ service: 'main', name: 'http', protocol: 'tcp', host: '127.0.0.1' }])
    await bench().eventually('its page', async () =>
      bench()
        .subject.fetchPage(endpoints[0]!)
        .then(
          page => page.includes('hello'),
          () => false,
        ),
    )
    await expect(bench().subject.fetchPage({ port: Number(hidden) })).rejects.toThrow()
    const fetched = async (from: string) => (await bench().exec(from, bench().subject.fetcher(Number(hidden)))).text
    await bench().eventually('the sidecar to answer', async () => (await fetched(id)).includes('found'))
    const other = await bench().running({ main: shell('exec sleep 600') })
    expect(await fetched(other.id)).not.toContain('found')
    await bench().gone(other.id)
    await bench().gone(id)
  })

  test('a port on which nobody listens is not healthy', async () => {
    const { id } = await bench().running({
      main: shell('exec sleep 600', {
        ports: [{ name: 'http', protocol: 'tcp' }],
        healthChecks: [{ type: 'http', port: 'http', path: '/', ...often, unhealthyThreshold: 2 }],
      }),
    })
    const main = await bench().eventually('its health', async () => {
      const { services } = await bench().provider.describe(id)
      const { health, reason } = services.main!
      return health === 'unhealthy' && reason?.includes('nothing listens') && services.main
    })
    expect(main).toMatchObject({ ready: false })
    await bench().gone(id)
  })

  test('words take the environment, and files and secrets are its own', async () => {
    const script = 'echo "$0 $1 $2 $TOKEN"; cat /etc/app/app.ini /etc/app/key; stat -c %a /etc/app/key; exec sleep 600'
    const main = shell(script, {
      args: ['$(GREETING)', '$$(GREETING)', '$(UNKNOWN)'],
      env: { GREETING: 'good morning' },
      secretEnv: { TOKEN: 'hush-hush' },
      files: [
        { path: '/etc/app/app.ini', content: Buffer.from('config\n'), secret: false },
        { path: '/etc/app/key', content: Buffer.from('whisper-low\n'), secret: true },
      ],
    })
    const { id } = await bench().running({ main })
    const text = await bench().printed(id, /\n400\n/)
    expect(text).toBe('good morning $(GREETING) $(UNKNOWN) hush-hush\nconfig\nwhisper-low\n400\n')
    expect((await bench().exec(id, 'echo $TOKEN $GREETING')).text).toBe('hush-hush good morning\n')
    const shown = await bench().subject.shown(id)
    expect(shown).toContain('good morning')
    for (const secret of ['hush-hush', 'whisper-low'])
      for (const encoding of ['utf8', 'base64', 'hex'] as const)
        expect(shown).not.toContain(Buffer.from(secret).toString(encoding).replace(/=+$/, ''))
    await bench().gone(id)
  })

  test('files belong to the user of the service, and nobody else', async () => {
    const main = shell('id -u; cat /etc/app/key; exec sleep 600', {
      user: '1000',
      files: [{ path: '/etc/app/key', content: Buffer.from('mine\n'), secret: true }],
    })
    const { id } = await bench().running({ main })
    expect(await bench().printed(id, 'mine')).toBe('1000\nmine\n')
    await bench().gone(id)
  })

  test('services have no rights of their own, and gain none', async () => {
    const { id } = await bench().running({ main: shell('exec sleep 600') })
    const { text } = await bench().exec(id, 'cat /proc/1/status || cat /proc/self/status')
    expect(text).toMatch(/CapEff:\s+0+\n/)
    expect(text).toMatch(/NoNewPrivs:\s+1\n/)
    await bench().gone(id)
  })

  test('the memory of a service is told, with its limit', async () => {
    const { id } = await bench().running({ main: shell('exec sleep 600', { resources: { memoryMiB: 64 } }) })
    const { services, since } = await bench().eventually('its memory', async () => {
      const sample = (await bench().provider.metrics!([id])).get(id)
      return typeof sample?.services.main?.memoryBytes === 'number' && sample
    })
    expect(services.main).toMatchObject({ memoryLimitBytes: 64 * 2 ** 20 })
    expect(services.main!.memoryBytes).toBeLessThan(32 * 2 ** 20)
    expect(bench().subject.world.now() - since!).toBeLessThan(120_000)
    await bench().gone(id)
  })

  test('the time that a service computes is counted', async () => {
    const { id } = await bench().running({ main: shell('while :; do :; done', { stopGraceSeconds: 0 }) })
    const { world } = bench().subject
    const used = async () => (await bench().provider.metrics!([id])).get(id)?.services.main?.cpuSeconds ?? undefined
    const start = world.monotonic()
    const first = await bench().eventually('its time', used)
    const last = await bench().eventually('a tenth of a second more', async () => {
      const now = await used()
      return now !== undefined && now > first + 0.1 && now
    })
    // One loop takes at most one processor.
    expect(last - first).toBeLessThan(((world.monotonic() - start) / 1_000) * 1.5 + 1)
    await bench().gone(id)
  })

  test('the log of each service is its own, with what went where', async () => {
    const { id } = await bench().running({
      main: shell('echo one; echo two >&2; exec sleep 600'),
      side: shell('echo three; exec sleep 600', { role: 'sidecar' }),
    })
    await bench().printed(id, 'one')
    await bench().printed(id, 'two')
    await bench().printed(id, 'three', 'side')
    const lines: string[] = []
    for await (const { service, stream, line } of bench().provider.logs!(id, {}))
      lines.push(`${service} ${stream} ${line}`)
    expect(lines.sort()).toEqual(['main stderr two', 'main stdout one', 'side stdout three'])
    await bench().gone(id)
  })

  test('what an exec session leaves behind ends with it', async () => {
    const { id } = await bench().running({ main: shell('exec sleep 600') })
    const command = ['sh', '-c', 'sleep 43210 & echo up; sleep 43210']
    const session = await bench().provider.exec!(id, { command })
    for await (const { data } of session.output) if (Buffer.from(data).toString().includes('up')) break
    await session.close()
    await bench().eventually('they to be gone', async () => {
      const { text } = await bench().exec(id, `cat /proc/[0-9]*/cmdline | tr '\\0' ' '`)
      return !text.includes('sleep 43210 ')
    })
    await bench().gone(id)
  })
}
