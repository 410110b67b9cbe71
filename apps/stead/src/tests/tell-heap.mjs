// Says how large the space for young objects is, whenever that has changed. Makes much that stays when asked by SIGUSR2.
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

let told = 0

function tell() {
  const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (space_size !== told) process.stderr.write(`young space ${space_size}\n`)
  told = space_size
}

if (isMainThread) {
  setInterval(tell, 200).unref()
  process.on('SIGUSR2', () => {
    let kept = []
    for (let round = 0; round < 40; round++)
      kept = [...kept.slice(-100_000), ...Array.from({ length: 100_000 }, () => ({}))]
    tell()
  })
}
