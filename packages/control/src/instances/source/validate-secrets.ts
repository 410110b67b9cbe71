import type { FieldError } from '../../errors/problem.ts'
import { pointerTo } from '../../schema/pointer.ts'
import { portVariable, type SecretUse, type ServiceSpec } from './services.ts'

/** What does not fit together in how a service uses secrets. */
export function validateSecrets(path: string, service: ServiceSpec): readonly FieldError[] {
  const { secrets = [] } = service
  return [
    ...secrets.flatMap((use, index) => validateUse(`${path}/secrets/${index}`, use)),
    ...twice(path, service),
    ...secretsInWords(
      path,
      service,
      secrets.flatMap(({ env }) => env ?? []),
    ),
  ]
}

function validateUse(path: string, { env, file, mode, version, onRotate = 'none' }: SecretUse): readonly FieldError[] {
  const at = (field: string, message: string): FieldError => ({ path: `${path}${field}`, message })
  return [
    ...((env === undefined) === (file === undefined) ? [at('', 'must have exactly one of env, file')] : []),
    ...(mode !== undefined && file === undefined ? [at('/mode', 'is for files')] : []),
    ...(version !== undefined && onRotate !== 'none'
      ? [at('/onRotate', 'means nothing where version says which one it is for ever')]
      : []),
    ...(onRotate.startsWith('SIG') && file === undefined
      ? [at('/onRotate', 'must be restart or none: what runs cannot be given another environment')]
      : []),
  ]
}

/** One variable has one value, and one path one file. */
function twice(path: string, { secrets = [], env = {}, files = {}, ports = [] }: ServiceSpec): readonly FieldError[] {
  const taken = new Set([
    ...Object.keys(env).map(name => `env ${name}`),
    ...Object.keys(files).map(file => `file ${file}`),
    ...ports.map(({ name }) => `env ${portVariable(name)}`),
  ])
  return secrets.flatMap(({ env: name, file }, index) => {
    const key = name === undefined ? `file ${file}` : `env ${name}`
    if (taken.size < taken.add(key).size) return []
    return [{ path: `${path}/secrets/${index}/${name === undefined ? 'file' : 'env'}`, message: 'is used twice' }]
  })
}

/** `$(NAME)` becomes part of a command line, which every user of the machine can read. */
export function secretsInWords(path: string, service: ServiceSpec, names: readonly string[]): readonly FieldError[] {
  if (names.length === 0) return []
  const { command = [], args = [], healthChecks = [] } = service
  const words = [
    ...command.map((word, index) => ({ at: `/command/${index}`, word })),
    ...args.map((word, index) => ({ at: `/args/${index}`, word })),
    ...healthChecks.flatMap(({ command: own = [] }, check) =>
      own.map((word, index) => ({ at: `/healthChecks/${check}/command/${index}`, word })),
    ),
  ]
  return words
    .filter(({ word }) => names.some(name => word.includes(`$(${name})`)))
    .map(({ at }) => ({ path: `${path}${at}`, message: 'would show a secret to whoever lists processes' }))
}

/** The path of a service in the spec of an instance. */
export const servicePath = (name: string): string => pointerTo('/spec/source/services/services', name)
