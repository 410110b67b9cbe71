import { existsSync, globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type Node, readSource } from '../house/source.ts'

/** A file of the package: where, and what is in it. */
export interface Compiled {
  readonly path: string
  readonly text: string
}

/** Where a package of ours is entered by its name: `@stead/engine` → `packages/engine/src/index.ts`. */
export type Doors = ReadonlyMap<string, string>

const code = /\.(ts|js|mjs)$/

export function readDoors(root: string): Doors {
  const doors = new Map<string, string>()
  for (const manifest of globSync('{apps,packages,packages/providers}/*/package.json', { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, manifest), 'utf8'))
    for (const [door, file] of Object.entries<string>(exports))
      doors.set(join(name, door), join(dirname(manifest), file))
  }
  return doors
}

/**
 * Everything that a program reaches, from its first file on, as JavaScript: types are taken out and nothing is moved, so
 * that workers and programs which are started by their path find each other as in the clone.
 */
export function compile(root: string, entry: string, doors: Doors): readonly Compiled[] {
  const compiled = new Map<string, Compiled>()
  const waiting = [entry]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (compiled.has(path)) continue
    const { text, reaches } = compileFile(root, path, doors)
    compiled.set(path, { path: asJavaScript(path), text })
    waiting.push(...reaches)
  }
  return [...compiled.values()]
}

function compileFile(root: string, path: string, doors: Doors): { text: string; reaches: readonly string[] } {
  const source = readFileSync(join(root, path), 'utf8')
  const script = path.endsWith('.ts') ? stripTypeScriptTypes(source) : source
  const named = readSource(asJavaScript(path), script).nodes.flatMap(({ node }) => {
    const target = targetOf(root, path, node, doors)
    return target === undefined ? [] : [{ start: node.start, end: node.end as number, target }]
  })
  let text = ''
  let done = 0
  for (const { start, end, target } of named.sort((a, b) => a.start - b.start)) {
    const from = relative(dirname(path), asJavaScript(target))
    text += `${script.slice(done, start)}'${from.startsWith('.') ? from : `./${from}`}'`
    done = end
  }
  return { text: text + script.slice(done), reaches: named.map(({ target }) => target) }
}

/** The file of ours that a text in the code names: by a path beside it, or by the name of a package. */
function targetOf(root: string, path: string, { type, value }: Node, doors: Doors): string | undefined {
  if (type !== 'Literal' || typeof value !== 'string') return undefined
  const door = doors.get(value)
  if (door !== undefined) return door
  if (!code.test(value) || value.startsWith('/')) return undefined
  const beside = join(dirname(path), value)
  return existsSync(join(root, beside)) ? beside : undefined
}

const asJavaScript = (path: string): string => path.replace(/\.ts$/, '.js')
