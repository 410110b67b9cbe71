// Imported before the program: its simulated region then is the cloud of another process. Nothing else of it is changed.
import { registerHooks } from 'node:module'

const program = new URL('../../../apps/stead/src/regions/simulated.ts', import.meta.url).href
const ours = new URL('detector.ts', import.meta.url).href

registerHooks({
  load(url, context, next) {
    if (url !== program) return next(url, context)
    return { format: 'module', source: `export * from ${JSON.stringify(ours)}`, shortCircuit: true }
  },
})
