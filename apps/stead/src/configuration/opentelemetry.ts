import { StartError } from '../exit-codes.ts'

/**
 * What OpenTelemetry's own variables say, for those who have set them for everything on their machines. Ours win. See
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
type Env = NodeJS.ProcessEnv
type Said = { readonly text: string; readonly origin: string } | undefined

const first = (env: Env, ...names: readonly string[]): Said => {
  const origin = names.find(name => env[name])
  return origin === undefined ? undefined : { text: env[origin]!, origin }
}

export function otlpEndpoint(env: Env): Said {
  const exporter = env.OTEL_TRACES_EXPORTER || 'otlp'
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || exporter !== 'otlp') return undefined
  const base = first(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const said =
    first(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    (base && { ...base, text: `${base.text.replace(/\/$/, '')}/v1/traces` })
  const protocol = first(env, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL')
  // A collector that takes protobuf over HTTP takes JSON there too; one that is asked for gRPC listens for nothing else.
  if (said && protocol?.text === 'grpc')
    throw new StartError(
      'usage',
      `${protocol.origin} is grpc, and traces are sent over HTTP: set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to http/json, and ` +
        'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to where HTTP is taken (port 4318 as a rule)',
    )
  return said
}

export const otlpHeaders = (env: Env): Said =>
  first(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'OTEL_EXPORTER_OTLP_HEADERS')

export function otlpSampling(env: Env): Said {
  const sampler = first(env, 'OTEL_TRACES_SAMPLER')
  const kind = sampler?.text.replace(/^parentbased_/, '')
  if (kind === 'always_off') return { text: '0', origin: sampler!.origin }
  return kind === 'traceidratio' ? first(env, 'OTEL_TRACES_SAMPLER_ARG') : undefined
}

export function otlpResource(env: Env): Said {
  const said = first(env, 'OTEL_RESOURCE_ATTRIBUTES')
  const name = first(env, 'OTEL_SERVICE_NAME')
  if (!name) return said
  const pair = `service.name=${encodeURIComponent(name.text)}`
  return said ? { ...said, text: `${said.text},${pair}` } : { ...name, text: pair }
}

/** Reads `name=value,name=value`, whose values may be percent-encoded. */
export function parsePairs(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').map(pair => /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair))
  if (pairs.includes(null)) return undefined
  try {
    return Object.fromEntries(pairs.map(pair => [pair![1], decodeURIComponent(pair![2]!)]))
  } catch {
    return undefined
  }
}
