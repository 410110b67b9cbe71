import { expect, test } from 'vitest'
import { loadConfiguration } from './load.ts'
import type { Flags } from './sources.ts'

const traces = async (env: NodeJS.ProcessEnv, flags: Flags = {}) =>
  (await loadConfiguration({ flags, env, directory: '/srv' })).traces

const base = 'http://collector:4318'

test('without an endpoint there are no traces, whatever else is said of them', async () =>
  expect(await traces({ OTEL_SERVICE_NAME: 'house', OTEL_TRACES_SAMPLER_ARG: '0.5' })).toBeUndefined())

test("OpenTelemetry's variables say it all, and the more special one wins", async () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${base}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b, other = c',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=lost,deployment.environment.name=production',
    OTEL_SERVICE_NAME: 'house, and more',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  }
  expect(await traces(env)).toEqual({
    endpoint: { url: `${base}/v1/traces`, headers: { 'x-key': 'a b', other: 'c' } },
    resource: { 'service.name': 'house, and more', 'deployment.environment.name': 'production' },
    sampling: 0.25,
  })
  const special = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://else/in', OTEL_TRACES_SAMPLER: 'always_off' }
  expect(await traces({ ...env, ...special })).toMatchObject({ endpoint: { url: 'https://else/in' }, sampling: 0 })
})

test('ours win over theirs', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: base, STEAD_TRACES_ENDPOINT: 'http://ours/v1/traces' }
  expect(await traces(env)).toMatchObject({ endpoint: { url: 'http://ours/v1/traces', headers: {} }, sampling: 1 })
  expect(await traces(env, { tracesSampling: '0.5' })).toMatchObject({ sampling: 0.5 })
})

test.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('%o means none', async off =>
  expect(await traces({ OTEL_EXPORTER_OTLP_ENDPOINT: base, ...off })).toBeUndefined(),
)

test('what cannot be is refused at the start, and headers are never shown', async () => {
  const grpc = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }
  await expect(traces(grpc)).rejects.toThrow(/OTEL_EXPORTER_OTLP_PROTOCOL is grpc.*http\/json/)
  await expect(traces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).rejects.toThrow(
    /tracesEndpoint \(set in OTEL_/,
  )
  await expect(traces({}, { tracesSampling: '2' })).rejects.toThrow('a number from 0 to 1')
  const shown = traces({}, { tracesHeaders: 'my-key' })
  await expect(shown).rejects.toThrow('tracesHeaders (set in --traces-headers) must be name=value pairs')
  await expect(shown).rejects.not.toThrow('my-key')
})
