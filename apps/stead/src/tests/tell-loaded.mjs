// Imported before the program: when that first says something, says in one line on stderr every file and module of Node
// that it has loaded.
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const loaded = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
if (isMainThread) {
  const { stdout } = process
  const { write } = stdout
  stdout.write = (...args) => {
    stdout.write = write
    console.error(`loaded ${[...loaded, ...process.moduleLoadList].join(' ')}`)
    return stdout.write(...args)
  }
}
