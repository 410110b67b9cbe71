import assert from 'node:assert/strict'
import { millis } from '@stead/world'
import type { ExecExit, ExecRequest, ExecSession } from '../../groups/exec.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

const commands = (bench: Bench) => bench.fixture('exec').commands

/** A running server, and a way to run things in it. */
async function shell(bench: Bench) {
  const { id } = await bench.running({ source: bench.fixture('exec').source })
  return (request: ExecRequest): Promise<ExecSession> => bench.provider.exec!(id, request)
}

interface Ran extends ExecExit {
  readonly stdout: string
  readonly stderr: string
}

async function finish(session: ExecSession): Promise<Ran> {
  const printed = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  for await (const { stream, data } of session.output) printed[stream].push(data)
  const [stdout, stderr] = [Buffer.concat(printed.stdout).toString(), Buffer.concat(printed.stderr).toString()]
  return { ...(await session.exit), stdout, stderr }
}

/** Reads until this appears. What comes after it stays to be read. */
async function readUntil(bench: Bench, session: ExecSession, wanted: RegExp): Promise<void> {
  let text = ''
  const iterator = session.output[Symbol.asyncIterator]()
  while (!wanted.test(text)) {
    const { done, value } = await bench.within(`${wanted} to be printed`, iterator.next())
    assert.ok(!done, `it ended after ${JSON.stringify(text)}, without ${wanted}`)
    text += Buffer.from(value.data).toString()
  }
}

const tty = { columns: 80, rows: 24 }

export const execPromises = promises(
  'exec',
  {
    async 'exec tells the exit code'(bench) {
      const run = await shell(bench)
      for (const code of [0, 1, 42, 255])
        assert.equal((await finish(await run({ command: commands(bench).exit(code) }))).code, code)
    },

    async 'exec keeps stdout and stderr apart'(bench) {
      const run = await shell(bench)
      const out = await finish(await run({ command: commands(bench).echo('to stdout') }))
      assert.deepEqual([out.stdout, out.stderr], ['to stdout\n', ''])
      const err = await finish(await run({ command: commands(bench).complain('to stderr') }))
      assert.deepEqual([err.stdout, err.stderr], ['', 'to stderr\n'])
    },

    async 'exec gives input, byte for byte, and its end'(bench) {
      const session = await (await shell(bench))({ command: commands(bench).cat })
      // More than fits into any buffer on the way, in pieces that fit into none of them evenly.
      const bytes = Buffer.from(Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 31 + (index >> 8)) % 256))
      const written = (async () => {
        for (let at = 0; at < bytes.length; at += 48_611) await session.write(bytes.subarray(at, at + 48_611))
        await session.endInput()
      })()
      const printed: Uint8Array[] = []
      for await (const { data } of session.output) printed.push(data)
      await written
      assert.ok(Buffer.concat(printed).equals(bytes), 'other bytes came back')
      assert.equal((await session.exit).code, 0)
    },

    async 'exec holds a command up while nobody reads, and loses nothing'(bench) {
      const session = await (await shell(bench))({ command: commands(bench).fill(1_000_000) })
      let bytes = 0
      for await (const { data } of session.output) {
        if (bytes === 0) await bench.world.sleep(millis(50))
        bytes += data.length
      }
      assert.equal(bytes, 1_000_000)
      assert.equal((await session.exit).code, 0)
    },

    async 'exec of a command that is not there exits with 127'(bench) {
      const { code } = await finish(await (await shell(bench))({ command: commands(bench).missing }))
      assert.ok(code === 127 || code === 126, `exit code ${code}`)
    },

    async 'exec with a terminal has its size, and follows a resize'(bench) {
      const session = await (await shell(bench))({ command: commands(bench).size, tty })
      await session.write(Buffer.from('\n'))
      await readUntil(bench, session, /24 80/)
      await session.resize({ columns: 132, rows: 43 })
      await session.write(Buffer.from('\n'))
      await readUntil(bench, session, /43 132/)
      await session.close()
    },

    async 'exec passes signals on'(bench) {
      const run = await shell(bench)
      const caught = await run({ command: commands(bench).awaitTerm(7) })
      await readUntil(bench, caught, /ready/)
      await caught.signal('TERM')
      assert.equal((await bench.within('its end', caught.exit)).code, 7)
      const killed = await run({ command: commands(bench).sleep })
      await killed.signal('KILL')
      assert.equal((await bench.within('its end', killed.exit)).code, 137)
    },

    async 'exec ends when it is closed'(bench) {
      const session = await (await shell(bench))({ command: commands(bench).sleep })
      await session.close()
      const ended = session.exit.catch(() => 'lost')
      await bench.within('its end', ended)
    },

    async 'exec in what does not run is a conflict'(bench) {
      const { id } = await bench.stopped({ source: bench.fixture('exec').source })
      const command = commands(bench).echo('x')
      await bench.refused('exec in a stopped server', () => bench.provider.exec!(id, { command }), 'Conflict')
    },

    async 'exec in a service that is not there is NotFound'(bench) {
      const run = await shell(bench)
      const request = { command: commands(bench).echo('x'), service: 'no-such-service' }
      await bench.refused('exec in no service', () => run(request), 'NotFound')
    },
  },
  {
    'exec with a terminal has its size, and follows a resize': ({ groups }) => groups.exec?.tty ?? false,
    'exec passes signals on': ({ groups }) => groups.exec?.signals ?? false,
  },
)
