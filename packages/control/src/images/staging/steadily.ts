import type { Duration, World } from '@stead/world'

/** Passes content on as long as it comes: throws what `late` makes once nothing has come for so long. */
export async function* steadily(
  content: AsyncIterable<Uint8Array>,
  { world, patience, late }: { readonly world: World; readonly patience: Duration; readonly late: () => Error },
): AsyncGenerator<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]()
  const next = () =>
    new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      const timer = world.setTimer(patience, () => reject(late()))
      chunks
        .next()
        .then(resolve, reject)
        .finally(() => timer.cancel())
    })
  try {
    for (let chunk = await next(); !chunk.done; chunk = await next()) yield chunk.value
  } finally {
    // Not waited for: one that does not come does not end either, until what it comes from is closed.
    chunks.return?.()?.catch(() => {})
  }
}
