import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { StartError } from '../../exit-codes.ts'
import { type KindOfThing, kindNamed, kinds } from '../kinds.ts'

/** One thing that a file says should be. */
export interface Wanted {
  readonly kind: KindOfThing
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly displayName?: string
  readonly spec: Readonly<Record<string, unknown>>
  /** `shop.yaml, document 2` */
  readonly origin: string
}

/** Everything that some files say, what others stand on first. */
export async function readFiles(files: readonly string[]): Promise<readonly Wanted[]> {
  if (files.length === 0) throw new StartError('usage', 'say which files with -f')
  const wanted: Wanted[] = []
  for (const file of files) wanted.push(...(await readFile(file)))
  const seen = new Map<string, string>()
  for (const { kind, name, origin } of wanted) {
    const before = seen.get(`${kind.kind}/${name}`)
    if (before) throw new StartError('usage', `${origin}: ${kind.kind} ${name} is in ${before} already`)
    seen.set(`${kind.kind}/${name}`, origin)
  }
  return wanted.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
}

/** What belongs together unless a name is given: the first file's own, as a label can hold it. */
export const setOf = (files: readonly string[]): string =>
  basename(files[0] ?? '')
    .replace(/\.(ya?ml|json)$/, '')
    .replaceAll(/[^A-Za-z0-9._-]/g, '-') || 'default'

async function readFile(file: string): Promise<readonly Wanted[]> {
  const { parseAllDocuments } = await import('yaml')
  const name = file === '-' ? 'standard input' : file
  let text: string
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8')
  } catch (error) {
    throw new StartError('usage', `${name} cannot be read: ${(error as Error).message}`)
  }
  return [parseAllDocuments(text)].flat().flatMap((document, index) => {
    const origin = `${name}, document ${index + 1}`
    const [error] = document.errors
    if (error) throw new StartError('usage', `${origin}: ${error.message}`)
    const value: unknown = document.toJS()
    // What is left after a last `---`.
    return value === null ? [] : [wantedOf(value, origin)]
  })
}

function wantedOf(value: unknown, origin: string): Wanted {
  const wrong = (message: string) => new StartError('usage', `${origin}: ${message}`)
  if (!isMap(value)) throw wrong('must be a map with kind, metadata and spec')
  // As objects are read, or as they are written in requests.
  const { kind: kindName, metadata = value, spec = {}, ...rest } = value
  const isFlat = value.metadata === undefined
  const unknown = Object.keys(rest).find(
    key => !(isFlat ? ['name', 'labels', 'displayName'] : ['status']).includes(key),
  )
  if (unknown !== undefined) throw wrong(`${unknown} is not known here; there are kind, metadata and spec`)
  if (typeof kindName !== 'string') throw wrong('kind is missing')
  const kind = kindNamed(kindName)
  if (!kind.inFiles) throw wrong(`a file cannot hold a ${kind.kind}`)
  if (!isMap(metadata) || typeof metadata.name !== 'string') throw wrong('metadata.name is missing')
  if (!isMap(spec)) throw wrong('spec must be a map')
  const labels = metadata.labels ?? {}
  if (!isMap(labels)) throw wrong('labels must be a map')
  const texts = Object.fromEntries(Object.entries(labels).map(([key, label]) => [key, String(label)]))
  const { name, displayName } = metadata
  return { kind, name, labels: texts, ...(typeof displayName === 'string' && { displayName }), spec, origin }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
