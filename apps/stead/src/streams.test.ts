import { describeWith, PostgresCluster, testWith } from '@stead/testing'
import { expect, onTestFinished } from 'vitest'
import { OwnMachine } from './tests/own-machine.ts'

const instance = '/v1/projects/default%2Fdefault/instances/web'

async function launch(command: readonly string[], ...more: readonly string[]): Promise<OwnMachine> {
  const machine = await OwnMachine.start(...more)
  const services = { web: { image: 'host', command, env: { MARK: machine.mark }, stopGraceSeconds: 0 } }
  const created = await machine.tell('POST', '', {
    name: 'web',
    spec: { region: 'local', source: { services: { services } } },
  })
  expect(created, JSON.stringify(created.body)).toMatchObject({ status: 201 })
  await machine.settled('web', 'running')
  return machine
}

interface Line {
  readonly id: string
  readonly line: string
}

interface Following {
  /** Until it has so many lines, or the other side is gone. */
  readonly count: number
  readonly after: string | undefined
  readonly onLine?: () => void
}

async function follow(machine: OwnMachine, { count, after, onLine = () => {} }: Following): Promise<Line[]> {
  const headers = { ...machine.credentials, ...(after !== undefined && { 'last-event-id': after }) }
  const { body } = await fetch(`${machine.url}${instance}/logs?follow=true`, { headers })
  const lines: Line[] = []
  let text = ''
  try {
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) {
      const events = (text + piece).split('\n\n')
      text = events.pop()!
      for (const event of events) {
        const [, id, data] = /^id: (.*)\ndata: (.*)$/.exec(event) ?? []
        if (data !== undefined) lines.push({ id: id!, line: JSON.parse(data).line })
      }
      if (lines.length > 0) onLine()
      if (lines.length >= count) break
    }
  } catch {
    // It was killed.
  }
  return lines
}

/** A terminal, as a browser has it. */
async function terminal(machine: OwnMachine, body: object) {
  const { body: ticket } = await machine.ask('POST', `${instance}/exec`, body)
  const socket = new WebSocket(machine.url.replace('http', 'ws') + (ticket as { readonly url: string }).url, 'stead.v1')
  socket.binaryType = 'arraybuffer'
  let printed = ''
  const controls: Record<string, unknown>[] = []
  socket.onmessage = ({ data }) => {
    const [channel, ...rest] = new Uint8Array(data as ArrayBuffer)
    const text = Buffer.from(rest).toString()
    if (channel === 3) controls.push(JSON.parse(text))
    else printed += text
  }
  const closed = new Promise<number>(resolve => {
    socket.onclose = ({ code }) => resolve(code)
  })
  await new Promise(resolve => {
    socket.onopen = resolve
  })
  return {
    controls,
    closed,
    type: (text: string) => socket.send(Buffer.concat([Buffer.of(0), Buffer.from(text)])),
    say: (message: object) => socket.send(Buffer.concat([Buffer.of(3), Buffer.from(JSON.stringify(message))])),
    shows: (text: string) => expect.poll(() => printed, { timeout: 20_000, interval: 10 }).toContain(text),
  }
}

const counting = ['sh', '-c', 'i=0; while :; do echo "line $i"; i=$((i+1)); sleep 0.01; done']

/** Follows a log of lines that are counted, while Stead is killed so many times: none is lost or doubled. */
async function followThroughKills(machine: OwnMachine, kills: number): Promise<void> {
  const lines: Line[] = []
  for (let round = 0; round < kills; round++) {
    lines.push(...(await follow(machine, { count: 40, after: lines.at(-1)?.id })))
    const { promise: begun, resolve: onLine } = Promise.withResolvers<void>()
    const cut = follow(machine, { count: 100_000, after: lines.at(-1)?.id, onLine })
    await begun
    await machine.crash()
    lines.push(...(await cut))
  }
  lines.push(...(await follow(machine, { count: 40, after: lines.at(-1)?.id })))
  expect(lines.length).toBeGreaterThanOrEqual(40 * (kills + 1))
  expect(lines.map(({ line }) => line)).toEqual(lines.map((_, index) => `line ${index}`))
}

async function remove(machine: OwnMachine): Promise<void> {
  await machine.tell('DELETE', '/web')
  await machine.until('it to be gone', async () => (machine.kept().length === 0 ? true : undefined))
}

testWith(
  'bubblewrap',
  'the log of a process goes on without a lost or doubled line while stead is killed again and again',
  async () => {
    const machine = await launch(counting)
    await followThroughKills(machine, 2)
    await remove(machine)
  },
  120_000,
)

describeWith('bubblewrap', 'with PostgreSQL', () => {
  testWith(
    'embedded postgresql',
    'the log of a process goes on though stead is killed, and a reader that does not read holds up nobody; a command runs in it',
    async () => {
      const cluster = await PostgresCluster.start({ edition: 'embedded postgresql', fsync: false })
      onTestFinished(() => cluster.stop())
      const machine = await launch(counting, '--database', cluster.url())
      const leave = new AbortController()
      onTestFinished(() => leave.abort())
      const { headers, signal } = { headers: machine.credentials, signal: leave.signal }
      const unread = await fetch(`${machine.url}${instance}/logs?follow=true`, { headers, signal })
      expect(unread.status).toBe(200)
      await followThroughKills(machine, 1)
      const shell = await terminal(machine, { command: ['sh'], tty: true })
      shell.type('exit 7\n')
      expect(await shell.closed).toBe(1000)
      expect(shell.controls).toEqual([{ type: 'ready' }, { type: 'exit', code: 7 }])
      await remove(machine)
    },
    180_000,
  )
})

testWith(
  'bubblewrap',
  'a shell in a process has a terminal that is resized and interrupted, and ends with its code',
  async () => {
    const machine = await launch(['sleep', '1000'])
    const shell = await terminal(machine, { command: ['sh'], tty: true, columns: 100, rows: 30 })
    shell.type('stty size\n')
    await shell.shows('30 100')
    shell.say({ type: 'resize', columns: 90, rows: 20 })
    shell.type('stty size\n')
    await shell.shows('20 90')
    shell.type('sleep 1000; echo inter"rupted"\n')
    await shell.shows('inter"rupted"')
    shell.type('\x03')
    shell.type('echo still" here"\n')
    await shell.shows('still here')
    shell.type('exit 7\n')
    expect(await shell.closed).toBe(1000)
    expect(shell.controls).toEqual([{ type: 'ready' }, { type: 'exit', code: 7 }])

    const left = await terminal(machine, { command: ['sleep', '998'] })
    await expect.poll(() => left.controls, { timeout: 20_000 }).toHaveLength(1)
    await machine.crash()
    expect(await left.closed).toBe(1006)
    await machine.until('the command to be gone', async () =>
      machine.processes('sleep').length === 1 ? true : undefined,
    )
    expect((await machine.ask('POST', `${instance}/console`, {})).status).toBe(501)
    await remove(machine)
  },
  120_000,
)
