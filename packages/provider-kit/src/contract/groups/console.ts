import assert from 'node:assert/strict'
import type { ConsoleSession } from '../../groups/console.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'

const machine = (bench: Bench) => bench.running({ source: bench.fixture('console').source })

async function open(bench: Bench, id: string, scrollbackBytes?: number): Promise<ConsoleSession> {
  const session = await bench.provider.console!.open(id, scrollbackBytes === undefined ? {} : { scrollbackBytes })
  bench.afterwards(() => session.close())
  return session
}

async function appears(bench: Bench, session: ConsoleSession, wanted: string): Promise<void> {
  let text = ''
  const reading = (async () => {
    for await (const data of session.output) {
      text += Buffer.from(data).toString()
      if (text.includes(wanted)) return
    }
    assert.fail(`the console ended after ${JSON.stringify(text)}, without ${JSON.stringify(wanted)}`)
  })()
  await bench.within(`${JSON.stringify(wanted)} to appear`, reading)
}

export const consolePromises = promises('console', {
  async 'a console echoes what is typed'(bench) {
    const { id } = await machine(bench)
    const session = await open(bench, id)
    const { type, echo } = bench.fixture('console')
    await session.write(Buffer.from(type))
    await appears(bench, session, echo)
  },

  async 'a console begins with what was printed before, if asked'(bench) {
    const { id } = await machine(bench)
    await appears(bench, await open(bench, id, 4_096), bench.fixture('console').prompt)
  },

  async 'console output can be read without a console'(bench) {
    const { id } = await machine(bench)
    await bench.eventually('its output', async () => {
      const output = Buffer.from(await bench.provider.console!.output(id)).toString()
      return output.includes(bench.fixture('console').prompt) || undefined
    })
  },

  async 'a closed console ends'(bench) {
    const { id } = await machine(bench)
    const session = await open(bench, id)
    const ended = (async () => {
      for await (const _ of session.output);
    })()
    await session.close()
    await bench.within('its end', ended)
  },

  async 'a console of the never-seen is NotFound'(bench) {
    await bench.refused('its console', () => bench.provider.console!.open('never-seen'), 'NotFound')
    await bench.refused('its output', () => bench.provider.console!.output('never-seen'), 'NotFound')
  },
})
