// Imported before the program: says at its end, in one line on stderr, every file and module of Node that it loaded.
import { registerHooks } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const loaded = []
registerHooks({
  load(url, context, next) {
    loaded.push(url)
    return next(url, context)
  },
})
if (isMainThread)
  process.once('exit', () => console.error(`loaded ${[...loaded, ...process.moduleLoadList].join(' ')}`))
