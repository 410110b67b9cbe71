import { machineMembers, machineModules, machineTimers, mayAskTheMachine, shellFunctions } from './rules.ts'
import { isNode, type Node, type Source } from './source.ts'
import type { Violation } from './violation.ts'

/** What a file uses that it may not: the machine's clock and chance outside their one module, a shell anywhere. */
export function bannedUses(source: Source): Violation[] {
  const violations = shellUses(source)
  if (!mayAskTheMachine(source.path)) violations.push(...machineUses(source))
  return violations
}

function machineUses(source: Source): Violation[] {
  const found = (line: number, what: string): Violation => ({
    path: source.path,
    line,
    rule: 'machine',
    message: `${what}: take time, chance and waiting from the World`,
  })
  const modules = source.imports
    .filter(({ specifier }) => machineModules.includes(specifier))
    .map(({ specifier, line }) => found(line, specifier))
  const uses = source.nodes.flatMap(({ node, parent }) => {
    const use = machineUse(node, parent)
    return use ? [found(source.lineOf(node), use)] : []
  })
  return [...modules, ...uses]
}

function machineUse(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'MemberExpression') {
    const [object, property] = [nameOf(node.object), nameOf(node.property)]
    if (machineMembers.some(([a, b]) => a === object && b === property)) return `${object}.${property}`
    if (object === 'globalThis' && machineTimers.includes(property ?? '')) return property
  }
  if (node.type === 'Identifier' && machineTimers.includes(node.name as string) && isReference(node, parent))
    return node.name as string
  const makesDate = node.type === 'NewExpression' || node.type === 'CallExpression'
  if (makesDate && nameOf(node.callee) === 'Date' && (node.arguments as unknown[]).length === 0) return 'new Date()'
  return undefined
}

/** `socket.setTimeout` and `{ setTimeout: … }` are other people's names for other things. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.object === node || parent.computed === true
  if (parent?.type === 'Property') return parent.value === node
  return true
}

function shellUses(source: Source): Violation[] {
  const childProcess = namespacesOfChildProcess(source)
  return source.nodes.flatMap(({ node, parent }) => {
    const use = shellUse(node, parent, childProcess)
    if (!use) return []
    const message = `${use} goes through a shell: use execFile or spawn with a list of arguments`
    return [{ path: source.path, line: source.lineOf(node), rule: 'shell', message }]
  })
}

function shellUse(node: Node, parent: Node | undefined, childProcess: ReadonlySet<string>): string | undefined {
  if (node.type === 'ImportSpecifier' && isChildProcess(parent) && shellFunctions.includes(nameOf(node.imported) ?? ''))
    return nameOf(node.imported)
  if (node.type === 'MemberExpression') {
    const ofModule = childProcess.has(nameOf(node.object) ?? '') || isLoadedChildProcess(node.object)
    if (ofModule && shellFunctions.includes(nameOf(node.property) ?? '')) return nameOf(node.property)
  }
  if (node.type === 'VariableDeclarator' && isLoadedChildProcess(node.init))
    return keysOf(node.id).find(key => shellFunctions.includes(key))
  const isShellTrue = node.type === 'Property' && nameOf(node.key) === 'shell'
  return isShellTrue && isNode(node.value) && node.value.value === true ? 'shell: true' : undefined
}

/** `import childProcess from`, `import * as childProcess from` and `const childProcess = await import(`. */
function namespacesOfChildProcess({ nodes }: Source): ReadonlySet<string> {
  const names = nodes.flatMap(({ node, parent }) => {
    const isWhole = node.type === 'ImportNamespaceSpecifier' || node.type === 'ImportDefaultSpecifier'
    if (isWhole && isChildProcess(parent)) return [nameOf(node.local)]
    return node.type === 'VariableDeclarator' && isLoadedChildProcess(node.init) ? [nameOf(node.id)] : []
  })
  return new Set(names.filter(name => name !== undefined))
}

function isLoadedChildProcess(node: unknown): boolean {
  if (!isNode(node)) return false
  if (node.type === 'AwaitExpression') return isLoadedChildProcess(node.argument)
  if (node.type === 'ParenthesizedExpression') return isLoadedChildProcess(node.expression)
  return node.type === 'ImportExpression' && isChildProcess(node)
}

const isChildProcess = (node: Node | undefined): boolean =>
  isNode(node?.source) && /^(node:)?child_process$/.test(String(node.source.value))

const keysOf = (pattern: unknown): string[] =>
  isNode(pattern) && pattern.type === 'ObjectPattern'
    ? (pattern.properties as Node[]).flatMap(property => nameOf(property.key) ?? [])
    : []

/** The name of an identifier, or the text of a string used as one: `x.exec` and `x['exec']`. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Identifier') return node.name as string
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}
