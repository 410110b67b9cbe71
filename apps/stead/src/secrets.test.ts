// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by us
import { createHash, randomBytes } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describeWith, PostgresCluster, testWith } from '@stead/testing'
import pg from 'pg'
import { expect } from 'vitest'
import { type Instance, OwnMachine } from './tests/own-machine.ts'

const project = '/v1/projects/default%2Fdefault'
/** Too long to be there by chance. */
const plant = (what: string) => `planted-${what}-${randomBytes(12).toString('hex')}`
const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

/** Says what it was given without saying it: their hashes, and the mode of the file. Again when it is told to. */
const script = `hash() { sha256sum | cut -c1-12; }
show() { echo "has $(hash < /run/secrets/file) $(printf %s "$PASSWORD" | hash) $(printf %s "$DSN" | hash) $(stat -c %a /run/secrets/file)"; }
trap show HUP; show; while :; do sleep 0.1; done`

/** Everything below a directory that is in a file. */
const filesOf = (directory: string): readonly (readonly [string, string])[] =>
  globSync(`${directory}/**/*`).flatMap(path => {
    try {
      return statSync(path).isFile() ? [[path, readFileSync(path, 'latin1')] as const] : []
    } catch {
      return [] // gone meanwhile
    }
  })

/** What every process shows of itself, but for those that a secret was given to. */
const processes = (mark: string): readonly (readonly [string, string])[] =>
  globSync('/proc/[0-9]*/{cmdline,environ}').flatMap(path => {
    try {
      const text = readFileSync(path, 'latin1')
      const isGiven = path.endsWith('environ') && text.includes(mark)
      return isGiven ? [] : [[path, text] as const]
    } catch {
      return []
    }
  })

async function rotateAndScan(machine: OwnMachine, stored: () => Promise<string>): Promise<void> {
  const values = { first: plant('first'), second: plant('second'), file: plant('file'), newFile: plant('newer') }
  const inline = plant('inline')
  const answers: string[] = []
  const ask = async (status: number, method: string, path: string, body?: unknown) => {
    const answer = await machine.read(method, path, body)
    expect(answer, answer.body).toMatchObject({ status })
    answers.push(answer.body)
    return answer.body
  }
  await ask(201, 'POST', `${project}/secrets`, { name: 'password', spec: { value: values.first } })
  await ask(201, 'POST', `${project}/secrets`, { name: 'file', spec: { value: values.file } })
  const web = {
    image: 'host',
    command: ['sh', '-c', script],
    env: { MARK: machine.mark, DSN: 'db://${var.key}@${instance.name}' },
    secrets: [
      { name: 'password', env: 'PASSWORD', onRotate: 'restart' },
      { name: 'file', file: '/run/secrets/file', mode: '0440', onRotate: 'SIGHUP' },
    ],
    stopGraceSeconds: 1,
  }
  const spec = {
    region: 'local',
    source: { services: { services: { web } } },
    variables: [{ name: 'key', type: 'secret' }],
    variableValues: { key: inline },
  }
  const body = { name: 'web', spec }
  await ask(200, 'POST', `${project}/instances/preview`, body)
  await ask(422, 'POST', `${project}/instances`, { ...body, spec: { ...spec, variables: [] } })
  await ask(201, 'POST', `${project}/instances`, body)

  const last = async () => {
    const events = await machine.read('GET', `${project}/instances/web/logs?tail=1`)
    return /"line":"(has [^"]*)"/.exec(events.body)?.[1]
  }
  const has = (file: string, password: string) =>
    `has ${digest(file)} ${digest(password)} ${digest(`db://${inline}@web`)} 440`
  const shows = async (file: string, password: string) => {
    await machine.until('what it was given', async () => ((await last()) === has(file, password) ? true : undefined))
    return machine.processes('sh')[0]
  }
  await machine.settled('web', 'running')
  const first = await shows(values.file, values.first)

  await ask(201, 'POST', `${project}/secrets/file/versions`, { value: values.newFile })
  expect(await shows(values.newFile, values.first), 'it is the same process').toBe(first)

  await ask(201, 'POST', `${project}/secrets/password/versions`, { value: values.second })
  await machine.crash()
  const second = await shows(values.newFile, values.second)
  expect(second, 'it is another process').not.toBe(first)
  expect(readFileSync(`/proc/${second}/environ`, 'latin1')).toContain(values.second)

  const { metadata } = (await machine.settled('web', 'running')) as Instance
  for (const path of ['', '/events', '/operations', '/logs'])
    await ask(200, 'GET', `${project}/instances/${metadata.id}${path}`)
  for (const path of ['/secrets', '/secrets/password/versions', '/secrets/file/events', '/events', '/instances'])
    await ask(200, 'GET', `${project}${path}`)
  await ask(200, 'POST', `${project}/instances/web/plan`, { spec: { variableValues: { key: values.first } } })
  await ask(200, 'POST', `${project}/instances/web/preview`, {})
  await ask(409, 'DELETE', `${project}/secrets/password`)
  for (const path of ['/v1/organizations/default/audit?limit=500', '/metrics', '/v1/system'])
    await ask(200, 'GET', path)

  const scan = async () => {
    const places = [
      ...filesOf(machine.data),
      ...processes(machine.mark),
      ...answers.map((text, index) => [`answer ${index}`, text] as const),
      ['what it printed', machine.printed] as const,
      ['the store', await stored()] as const,
    ]
    expect(places.length).toBeGreaterThan(40)
    const forms = Object.values({ ...values, inline }).flatMap(value => {
      const bytes = Buffer.from(value)
      return [value, bytes.toString('base64').slice(0, -4), bytes.toString('hex')]
    })
    return places.flatMap(([where, text]) => (forms.some(form => text.includes(form)) ? [where] : []))
  }
  expect(await scan()).toEqual([])

  await ask(202, 'DELETE', `${project}/instances/web`)
  await machine.until('it to be gone', async () => (await machine.tell('GET', '/web')).status === 404 || undefined)
  expect(machine.kept()).toEqual([])
  expect(machine.processes('sh')).toEqual([])
  for (const name of ['password', 'file']) await ask(202, 'DELETE', `${project}/secrets/${name}`)
  await machine.crash()
  expect(await scan()).toEqual([])
}

testWith(
  'bubblewrap',
  'secrets reach what runs, also their new versions and through a crash, and are nowhere else',
  async () => {
    const machine = await OwnMachine.start()
    await rotateAndScan(machine, async () => readFileSync(join(machine.data, 'stead.db'), 'latin1'))
  },
  180_000,
)

describeWith('bubblewrap', 'with PostgreSQL', () => {
  testWith(
    'embedded postgresql',
    'the same, and the database has none of them either',
    async () => {
      const cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
      try {
        const machine = await OwnMachine.start('--database', cluster.url())
        await rotateAndScan(machine, () => dump(cluster.url()))
      } finally {
        await cluster.stop()
      }
    },
    240_000,
  )
})

/** Every row of every table, as text: what is stored as bytes is in hexadecimal there. */
async function dump(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    )
    expect(tables.rows.length).toBeGreaterThan(3)
    let text = ''
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`)
      text += rows.map(({ row }) => row).join('\n')
    }
    return text
  } finally {
    await client.end()
  }
}
