import { millis, type World } from '@stead/world'
import type { Fetching } from '../../images/fetch.ts'
import { Meter, type Staging } from '../../images/staging/staging.ts'
import type { OutgoingStreams } from '../../outgoing/client.ts'
import { OutgoingError } from '../../outgoing/errors.ts'
import type { Cross, Crossing } from './cloud.ts'

/** What every source serves, in pieces. */
const pieces = ['what boots ', 'and runs'].map(text => Buffer.from(text))

/** A disk that all nodes share, and that no crash clears. */
export class SharedDisk {
  readonly files = new Map<string, Buffer>()
  #parts = 0

  nextPart(): number {
    return ++this.#parts
  }
}

export interface ContentOptions extends Pick<Crossing, 'faults'> {
  readonly disk: SharedDisk
  readonly world: World
  /** A node can die at each touch of the disk. */
  readonly cross: Cross
}

/** How a node of the simulation brings contents. */
export const fetchingIn = (options: ContentOptions): Fetching => ({
  ...{ staging: stagingIn(options), take: sourceIn(options) as OutgoingStreams },
  ...{ limitBytes: 1_000, world: options.world },
})

const ownerOf = (file: string) => file.split('.', 1)[0]!

function stagingIn({ disk: { files }, disk, world, cross }: ContentOptions): Staging {
  return {
    async put(id, content, check) {
      const part = `${id}.${disk.nextPart()}.part`
      const meter = new Meter()
      try {
        for await (const chunk of meter.through(content))
          await cross('write', async () => {
            files.set(part, Buffer.concat([files.get(part) ?? Buffer.alloc(0), chunk]))
          })
        const received = meter.received()
        check(received)
        await cross('keep', async () => {
          files.set(`${id}.image`, files.get(part)!)
          files.delete(part)
        })
        return received
      } catch (error) {
        files.delete(part)
        throw error
      }
    },
    has: id => cross('has', async () => files.has(`${id}.image`)),
    async *open(id) {
      await world.sleep(millis(5))
      const content = files.get(`${id}.image`)
      if (!content) throw new Error(`${id} is not staged`)
      yield content
    },
    remove: id =>
      cross('remove', async () => {
        for (const file of files.keys()) if (ownerOf(file) === id) files.delete(file)
      }),
    owners: async () => [...files.keys()].map(ownerOf),
  }
}

/** A source that takes its time, and breaks off where its faults say so. */
const sourceIn =
  ({ world, faults }: ContentOptions) =>
  <T>(
    { signal }: Parameters<OutgoingStreams>[0],
    use: (answer: Parameters<Parameters<OutgoingStreams>[1]>[0]) => Promise<T>,
  ): Promise<T> => {
    async function* content() {
      for (const piece of pieces) {
        await world.sleep(millis(100), signal)
        if (faults.strikes('source-breaks')) throw new OutgoingError('unreachable', 'the connection failed')
        yield piece
      }
    }
    return use({ status: 200, headers: {}, url: '', content: content() })
  }
