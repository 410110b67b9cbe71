/** One kind of package: where it lives, and which other kinds it may import. Dependencies point down only. */
export interface Floor {
  readonly name: string
  /** The packages of this floor, by directory. */
  readonly where: RegExp
  readonly mayImport: readonly string[]
}

/** From the bottom up. A package that is on no floor is refused: whoever adds one says here where it stands. */
export const floors: readonly Floor[] = [
  { name: 'world', where: /^packages\/world$/, mayImport: [] },
  { name: 'engine', where: /^packages\/engine$/, mayImport: ['world'] },
  { name: 'provider-kit', where: /^packages\/provider-kit$/, mayImport: ['world'] },
  { name: 'provider', where: /^packages\/providers(\/[^/]+)?$/, mayImport: ['provider-kit', 'world'] },
  { name: 'control', where: /^packages\/control$/, mayImport: ['engine', 'provider-kit', 'world'] },
  { name: 'sdk', where: /^packages\/sdk$/, mayImport: [] },
  {
    name: 'stead',
    where: /^apps\/stead$/,
    mayImport: ['control', 'engine', 'provider', 'provider-kit', 'sdk', 'world'],
  },
  { name: 'console', where: /^apps\/console$/, mayImport: ['sdk'] },
  { name: 'testing', where: /^packages\/testing$/, mayImport: [] },
  // The repository's own root: scripts and benchmarks.
  {
    name: 'root',
    where: /^$/,
    mayImport: ['control', 'engine', 'provider', 'provider-kit', 'sdk', 'stead', 'testing', 'world'],
  },
]

/** What any test file may import besides what its package may. */
export const testsMayImport: readonly string[] = ['testing']

/** Tests, and the suites and programs that only tests use. */
export const isTestFile = (path: string): boolean => /\.(test|suite)\.\w+$|\/tests\//.test(path)

/**
 * Time, randomness and waiting come from a `World`. Only the real one asks the machine, the virtual one to let the
 * machine's own queue run empty, the SDK, which runs where there is no world of ours, and what never runs in the product.
 */
export const mayAskTheMachine = (path: string): boolean =>
  /^packages\/world\/src\/(real|virtual)\.ts$/.test(path) ||
  path === 'packages/sdk/src/machine.ts' ||
  isTestFile(path) ||
  /^(bench|scripts|packages\/testing|apps\/console)\//.test(path)

/** `object.property` pairs that ask the machine for time or chance. */
export const machineMembers: readonly (readonly [object: string, property: string])[] = [
  ['AbortSignal', 'timeout'],
  ['Date', 'now'],
  ['Math', 'random'],
  ['performance', 'now'],
]

/** Globals that wait on the machine's clock. */
export const machineTimers: readonly string[] = ['setTimeout', 'setInterval', 'setImmediate']

/** The same timers as modules. */
export const machineModules: readonly string[] = ['node:timers', 'node:timers/promises']

/** Of `node:child_process`: these go through a shell, where an argument can become a command. Banned everywhere. */
export const shellFunctions: readonly string[] = ['exec', 'execSync']
