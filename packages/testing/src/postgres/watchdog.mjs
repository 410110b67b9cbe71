// Watches over one throw-away cluster: when the process that started it is gone, however it went, stops the server and
// removes its files. Its standard input is a pipe from that process; the end of it is the sign.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const directory = process.argv[2]

process.stdin.resume().on('end', () => {
  try {
    process.kill(Number(readFileSync(join(directory, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGQUIT')
  } catch {
    // It was stopped properly: there is no such file, or no such process.
  }
  setTimeout(() => rmSync(directory, { recursive: true, force: true }), 200)
})
