import { randomUUID } from 'node:crypto'
import { testWith } from '@stead/testing'
import { SeededRandom } from '@stead/world'
import { expect } from 'vitest'
import { readProcess } from './tests/left-behind.ts'
import { type Instance, type Moment, OwnMachine } from './tests/own-machine.ts'
import { bringPerlImage, removeImage } from './tests/perl-image.ts'

/** Says the page of its image and a number that is another one in every process. An image with a page takes a while to listen. */
const web = [
  'perl',
  '-MIO::Socket::INET',
  '-e',
  `$page = "old"; if (open $f, "<", "/page") { $page = <$f>; sleep 1 } $boot = int(rand(1e15));
   $s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => $ENV{PORT_HTTP}, Listen => 5, ReuseAddr => 1) or die $!;
   while ($c = $s->accept) { while (<$c>) { last if /^\\s*$/ } print $c "HTTP/1.0 200 OK\\r\\n\\r\\n$page $boot"; close $c }`,
]

const service = (mark: string) => ({
  image: 'host',
  command: web,
  env: { MARK: mark },
  ports: [{ name: 'http', protocol: 'tcp' }],
  resources: { cpuMillis: 200, memoryMiB: 64 },
  healthChecks: [{ type: 'http', port: 'http', path: '/', intervalSeconds: 1 }],
  // So that it is Stead that brings it back.
  restart: 'never',
  stopGraceSeconds: 1,
})

async function page({ status }: Instance): Promise<string> {
  const [endpoint] = status.endpoints
  const answer = await fetch(`http://${endpoint!.host}:${endpoint!.port}/`)
  return answer.text()
}

/** Follows what it answers until it says something new. It may not be silent at a place where it is said to be. */
async function untilReplaced(machine: OwnMachine): Promise<string> {
  return machine.until('the new one', async () => {
    const before = await machine.instance('web')
    const found = await page(before).catch(async error => {
      const after = await machine.instance('web')
      // The old one may go between the question where it is and the question to it.
      expect(after.status.endpoints, String(error)).not.toEqual(before.status.endpoints)
      return page(after)
    })
    return found.startsWith('new') ? found : undefined
  })
}

const deeds = [
  'create',
  'death',
  'stop',
  'start',
  'scale',
  'refusal',
  'replace',
  'suspend',
  'unsuspend',
  'delete',
] as const

type Cuts = Partial<Record<(typeof deeds)[number], Moment>>

/** At each deed: while it is asked for, or some time into what follows. */
function randomCuts(random: SeededRandom): Cuts {
  const moment = (): Moment =>
    random.next() < 0.5
      ? { since: 'asked', millis: Math.floor(random.next() * 40) }
      : { since: 'answered', millis: Math.floor(random.next() * 600) }
  return Object.fromEntries(deeds.map(deed => [deed, moment()]))
}

/** What a first user does with a first service. */
async function liveThrough(machine: OwnMachine, cuts: Cuts): Promise<void> {
  const services = { web: service(machine.mark) }
  const body = { name: 'web', spec: { region: 'local', source: { services: { services } } } }
  const created = await machine.tell('POST', '', body, cuts.create)
  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 })
  const first = await page(await machine.settled('web', 'running'))
  expect(first).toMatch(/^old \d+$/)
  expect(machine.kept()).toHaveLength(1)
  expect(await machine.used()).toMatchObject({ instances: 1, memoryMiB: 64 })

  const [pid] = machine.processes('perl')
  const isGrouped = readProcess(pid!, 'cgroup').includes(machine.kept()[0]!)
  expect(machine.groups().length > 0).toBe(isGrouped)
  expect(machine.traces().join()).toMatch(/process.*perl.*mounts in/s)
  process.kill(pid!, 'SIGKILL')
  if (cuts.death) await machine.crash(cuts.death.millis)
  const second = await machine.until('it to be back', async () => {
    const found = await page(await machine.instance('web')).catch(() => undefined)
    return found === first ? undefined : found
  })
  expect(second).toMatch(/^old \d+$/)
  await machine.settled('web', 'running')

  expect((await machine.tell('POST', '/web/stop', {}, cuts.stop)).status).toBe(202)
  await machine.settled('web', 'stopped')
  expect(machine.processes('perl')).toEqual([])
  expect((await machine.tell('POST', '/web/start', {}, cuts.start)).status).toBe(202)
  const started = await machine.settled('web', 'running')
  const third = await page(started)

  const scaled = await machine.tell('POST', '/web/scale', { memoryMiB: 96 }, cuts.scale)
  expect(scaled, JSON.stringify(scaled.body)).toMatchObject({ status: 202 })
  const larger = await machine.settled('web', 'running')
  expect(larger.status.endpoints).toEqual(started.status.endpoints)
  expect(await page(larger), 'it is the same process').toBe(third)
  expect(await machine.used()).toMatchObject({ instances: 1, memoryMiB: 96 })

  await bringPerlImage(machine, 'pages', 'new')
  const change = { spec: { source: { services: { services: { web: { image: 'pages' } } } } } }
  const refused = await machine.tell('PATCH', '/web', change, cuts.refusal)
  expect(refused).toMatchObject({ status: 409, body: { code: 'replacement_required', plan: { effect: 'replace' } } })
  const replaced = await machine.tell('PATCH', '/web?allow=replace', change, cuts.replace)
  expect(replaced, JSON.stringify(replaced.body)).toMatchObject({ status: 202 })
  await untilReplaced(machine)
  await machine.settled('web', 'running')
  await machine.until('the old one to be gone', async () => machine.kept().length === 1 || undefined)

  expect((await machine.tell('POST', '/web/suspend', { reason: 'unpaid' }, cuts.suspend)).status).toBe(202)
  expect((await machine.settled('web', 'stopped')).status.suspended).toMatchObject({ reason: 'unpaid' })
  expect(machine.processes('perl')).toEqual([])
  expect((await machine.tell('POST', '/web/unsuspend', {}, cuts.unsuspend)).status).toBe(202)
  expect(await page(await machine.settled('web', 'running'))).toMatch(/^new /)

  // Gone already when the first asking came through.
  expect([202, 404]).toContain((await machine.tell('DELETE', '/web', undefined, cuts.delete)).status)
  await machine.until('it to be gone', async () => (await machine.tell('GET', '/web')).status === 404 || undefined)
  // A disk, and the last of a process, take a moment to go.
  await expect.poll(() => [...machine.kept(), ...machine.traces()]).toEqual([])
  await removeImage(machine, 'pages')
  expect(machine.keptImages()).toEqual([])
  expect(await machine.used()).toMatchObject({ instances: 0, images: 0, cpuMillis: 0, memoryMiB: 0 })
}

testWith(
  'bubblewrap',
  'a service is created, dies, is stopped, scaled, replaced, suspended and deleted, and nothing is left',
  async () => liveThrough(await OwnMachine.start(), {}),
  120_000,
)

testWith(
  'bubblewrap',
  'the same when Stead is killed at ten random moments of it',
  async () => {
    const cuts = randomCuts(new SeededRandom(randomUUID()))
    console.log(`killed at ${JSON.stringify(cuts)}`)
    await liveThrough(await OwnMachine.start(), cuts)
  },
  240_000,
)
