import { registerHooks } from 'node:module'

const root = new URL('../../..', import.meta.url).href
const formats = { '.ts': 'module-typescript', '.js': 'module' }

/**
 * Our own modules are where their importers say, and a package of ours is the same for all of them. Node would ask the
 * disk about each of a thousand imports, for links, extensions and kinds: a sixth of the time to start.
 */
export function findOursAtOnce() {
  const packages = new Map()
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context
      if (!parentURL?.startsWith(root) || parentURL.includes('/node_modules/', root.length - 1))
        return next(specifier, context)
      const format = specifier.startsWith('.') && formats[specifier.slice(-3)]
      if (format) return { url: new URL(specifier, parentURL).href, format, shortCircuit: true }
      if (!specifier.startsWith('@stead/')) return next(specifier, context)
      const found = packages.get(specifier) ?? { ...next(specifier, context), shortCircuit: true }
      packages.set(specifier, found)
      return found
    },
  })
}
