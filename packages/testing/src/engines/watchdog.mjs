// Waits until whoever started it closes its input, or dies, and then removes an engine with everything that belongs to it:
// node watchdog.mjs <directory> <network>
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'

const [directory, network] = process.argv.slice(2)

for await (const _ of process.stdin) {
  // Nothing is ever said.
}

/** Fails where something is gone already, which is what is wanted. */
function attempt(work) {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Those that name its directory, and all that they started: the first process of a container names nothing. */
function processes() {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const rows = listed.split('\n').map(line => {
    const [pid, parent, ...words] = line.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), words: words.join(' ') }
  })
  const found = new Set(rows.filter(({ words }) => words.includes(`${directory}/`)).map(({ pid }) => pid))
  found.delete(process.pid)
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const { pid, parent } of rows) if (found.has(parent)) found.add(pid)
  }
  found.delete(process.pid)
  return [...found]
}

const inNetwork = () =>
  (attempt(() => execFileSync('ip', ['netns', 'pids', network], { encoding: 'utf8' })) ?? '')
    .split('\n')
    .filter(Boolean)

const mounts = () =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map(line => line.split(' ')[1] ?? '')
    .filter(path => path.startsWith(`${directory}/`))

// Who starts processes goes first; what was started meanwhile is found in the next round.
for (let round = 0; round < 20; round++) {
  const left = [...processes(), ...inNetwork().map(Number)]
  if (left.length === 0) break
  for (const pid of left) attempt(() => process.kill(pid, 'SIGKILL'))
  await new Promise(resolve => setTimeout(resolve, 50))
}
for (let round = 0; round < 5 && mounts().length > 0; round++)
  for (const mount of mounts().reverse()) attempt(() => execFileSync('umount', ['-l', mount], { stdio: 'ignore' }))
attempt(() => execFileSync('ip', ['netns', 'del', network], { stdio: 'ignore' }))
rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
