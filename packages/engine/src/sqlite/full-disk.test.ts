import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeWith, loopFilesystem } from '@stead/testing'
import { realWorld } from '@stead/world'
import { expect, test } from 'vitest'
import { byRef, newSet, readAll, times, widget } from '../conformance/fixture.suite.ts'
import { OpenError, UnavailableError } from '../words/errors.ts'
import { openSqliteStore } from './open-store.ts'

/** A disk of 4 MiB with something on it that can be thrown away later. */
function smallDisk() {
  const disk = loopFilesystem(4)
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(1_500_000))
  return { directory: join(disk, 'data'), disk, freeSpace: () => rmSync(ballast) }
}

function fillUp(disk: string): void {
  for (const size of [1_048_576, 65_536, 4_096, 512])
    for (let n = 0; ; n++)
      try {
        writeFileSync(join(disk, `filler-${size}-${n}`), Buffer.alloc(size))
      } catch {
        break
      }
}

describeWith('loop filesystem', 'a full disk', () => {
  test('fails commits clearly and whole, loses nothing, and is forgotten once there is space', async () => {
    const { directory, freeSpace } = smallDisk()
    let store = await openSqliteStore({ directory, world: realWorld })
    const spec = { text: 'x'.repeat(20_000) }
    const written = new Set<string>()
    const refused: unknown[] = []
    for (let round = 0; refused.length === 0 && round < 100; round++)
      await Promise.all(
        times(8, async n => {
          const id = `w-${round}-${n}`
          await store.commit(newSet().create(widget(id, spec)).move('commits', 1)).then(
            () => written.add(`widget/${id}`),
            (reason: unknown) => refused.push(reason),
          )
        }),
      )
    expect(written.size).toBeGreaterThan(8)
    for (const reason of refused) {
      expect(reason).toBeInstanceOf(UnavailableError)
      expect((reason as Error).message).toContain('is full: nothing was written')
    }
    const check = async () => {
      const { revision, objects } = await readAll(store)
      expect(new Set(byRef(objects).keys())).toEqual(written)
      expect(revision).toBe(written.size)
      expect(await store.counters('')).toMatchObject([{ value: written.size }])
    }
    await check()
    freeSpace()
    const { revision } = await store.commit(newSet().create(widget('after')).move('commits', 1))
    written.add('widget/after')
    expect(revision).toBe(written.size)
    await check()
    await store.close()
    store = await openSqliteStore({ directory, world: realWorld })
    await check()
    await store.close()
  })

  test('refuses to open, says why, and damages nothing', async () => {
    const { directory, disk, freeSpace } = smallDisk()
    const store = await openSqliteStore({ directory, world: realWorld })
    await store.commit(newSet().create(widget('before')))
    await store.close()
    fillUp(disk)
    for (const place of [directory, join(disk, 'new')]) {
      const error = await openSqliteStore({ directory: place, world: realWorld }).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(OpenError)
      expect(error).toMatchObject({ failure: 'disk_full' })
      expect((error as Error).message).toContain('free some space')
    }
    freeSpace()
    const again = await openSqliteStore({ directory, world: realWorld })
    expect((await readAll(again)).objects.map(({ id }) => id)).toEqual(['before'])
    await again.close()
  })
})
