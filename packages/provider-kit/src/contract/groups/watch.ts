import assert from 'node:assert/strict'
import type { WatchEvent, WatchRequest } from '../../groups/watch.ts'
import type { ServerState } from '../../server-info.ts'
import type { Bench } from '../bench.ts'
import { promises } from '../promise.ts'
import { assertWhole } from '../whole.ts'

type Change = Extract<WatchEvent, { type: 'change' }>

/** Watches until it is stopped, noting every event. */
function watcher(bench: Bench, request: Partial<WatchRequest> = {}) {
  const abort = new AbortController()
  const events: WatchEvent[] = []
  const end = (async () => {
    for await (const event of bench.provider.watch!({ tags: bench.mark, ...request }, { signal: abort.signal }))
      events.push(event)
  })()
  end.catch(() => {})
  const stop = () => abort.abort(new Error('enough'))
  bench.afterwards(async () => stop())
  const changes = () => events.filter((event): event is Change => event.type === 'change')
  const see = (what: string, holds: () => boolean) => bench.eventually(what, async () => holds() || undefined)
  const opened = () => see('the watch to open', () => events.length > 0)
  return { events, changes, see, opened, end, stop }
}

/** The states a server was seen in, each once as long as it lasted. */
function statesOf(changes: readonly Change[], id: string): ServerState[] {
  const states = changes.filter(change => change.id === id).map(({ server }) => server?.state ?? 'terminated')
  return states.filter((state, index) => state !== states[index - 1])
}

const stable = (states: readonly ServerState[]) =>
  states.filter(state => state === 'running' || state === 'stopped' || state === 'terminated')

export const watchPromises = promises(
  'watch',
  {
    async 'a watch opens, and then sees every change of state'(bench) {
      const watch = watcher(bench)
      await watch.opened()
      assert.equal(watch.events[0]!.type, 'open')
      const { id } = await bench.running()
      await bench.provider.stop(id)
      await bench.until(id, 'stopped')
      await bench.provider.start(id)
      await bench.until(id, 'running')
      await bench.provider.terminate(id)
      await watch.see('its end', () => statesOf(watch.changes(), id).includes('terminated'))
      assert.deepEqual(stable(statesOf(watch.changes(), id)), ['running', 'stopped', 'running', 'terminated'])
      for (const { server } of watch.changes()) if (server) assertWhole(server)
    },

    async 'a watch sees only what carries its tags'(bench) {
      const watch = watcher(bench, { tags: { ...bench.mark, 'stead.label.watched': 'yes' } })
      await watch.opened()
      await bench.running()
      const { id } = await bench.launch({ tags: { 'stead.label.watched': 'yes' } })
      await watch.see('the one it asked for', () => watch.changes().length > 0)
      for (const change of watch.changes()) assert.equal(change.id, id)
    },

    async 'a watch resumed from a cursor misses nothing and repeats nothing'(bench) {
      const first = watcher(bench)
      await first.opened()
      const { id } = await bench.running()
      await first.see('it running', () => statesOf(first.changes(), id).includes('running'))
      first.stop()
      await first.end.catch(() => {})
      const cursor = first.changes().at(-1)!.cursor
      await bench.provider.stop(id)
      await bench.until(id, 'stopped')
      const second = watcher(bench, { after: cursor })
      await second.see('it stopped', () => statesOf(second.changes(), id).includes('stopped'))
      const cursors = [...first.changes(), ...second.changes()].map(change => change.cursor)
      assert.equal(new Set(cursors).size, cursors.length, 'an event came twice')
      const states = statesOf([...first.changes(), ...second.changes()], id)
      assert.deepEqual(stable(states), ['running', 'stopped'])
    },

    async 'a watch sees what disappears'(bench) {
      const { id } = await bench.running()
      const watch = watcher(bench)
      await watch.opened()
      await bench.subject.backend.remove(id)
      await watch.see('it go', () => stable(statesOf(watch.changes(), id)).includes('terminated'))
    },

    async 'a watch from a cursor that is no longer kept says gone'(bench) {
      const watch = watcher(bench, { after: 'no-such-cursor' })
      await bench.within('its end', watch.end)
      assert.deepEqual(watch.events, [{ type: 'gone' }])
    },

    async 'cancelling a watch is prompt'(bench) {
      const watch = watcher(bench)
      await watch.opened()
      watch.stop()
      const ended = watch.end.catch(() => 'cancelled')
      await bench.within('its end', ended, bench.subject.limits.cancel)
    },
  },
  { 'cancelling a watch is prompt': 'alone' },
)
