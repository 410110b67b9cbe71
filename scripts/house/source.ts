import { parseSync } from 'vite'

export interface Import {
  readonly specifier: string
  readonly line: number
}

/** A node of the syntax tree, as far as the rules look at it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

export interface Source {
  readonly path: string
  readonly imports: readonly Import[]
  /** Every node with the one around it, in the order of the text. */
  readonly nodes: readonly { readonly node: Node; readonly parent: Node | undefined }[]
  lineOf(node: Node): number
}

/** Reads a file as a syntax tree: words in comments and strings are no code, and break no rule. */
export function readSource(path: string, text: string): Source {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]!.message}`)
  const lineOf = (node: Node) => text.slice(0, node.start).split('\n').length
  const nodes = [...walk(program as unknown as Node, undefined)]
  const imports = nodes.flatMap(({ node }) => {
    const specifier = importedBy(node)
    return specifier === undefined ? [] : [{ specifier, line: lineOf(node) }]
  })
  return { path, imports, nodes, lineOf }
}

function* walk(node: Node, parent: Node | undefined): Generator<{ node: Node; parent: Node | undefined }> {
  yield { node, parent }
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child, node)
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'

const importing = [
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]

function importedBy(node: Node): string | undefined {
  if (!importing.includes(node.type)) return undefined
  const source = node.source
  return isNode(source) && typeof source.value === 'string' ? source.value : undefined
}
