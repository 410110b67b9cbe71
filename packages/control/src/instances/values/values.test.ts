// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is written so here is rendered by us
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderServices } from './render-services.ts'
import { scopeOf } from './scope.ts'
import { referencesIn, renderText } from './template.ts'
import { validateVariables } from './validate-variables.ts'
import type { Variables } from './variables.ts'

const scope = (variables: Variables, surroundings = {}) =>
  scopeOf({
    ...variables,
    instance: { id: 'inst_1', name: 'web-1' },
    surroundings,
    readSecret: name => `secret of ${name}`,
  })

const some: Variables = {
  variables: [
    { name: 'host' },
    { name: 'port', type: 'int', default: 80 },
    { name: 'tls', type: 'bool', default: false },
    { name: 'password', type: 'secret' },
    { name: 'url', type: 'computed', value: 'http://${var.host}:${var.port}' },
    { name: 'dsn', type: 'computed', value: '${var.url}?pw=${var.password}' },
    { name: 'unset' },
  ],
  variableValues: { host: 'db', password: 'x' },
}

describe('a text', () => {
  test.each([
    ['plain $HOME $(X) {}', 'plain $HOME $(X) {}', false],
    ['${var.host}:${var.port} ${var.tls}', 'db:80 false', false],
    ['$${var.host} and $$${var.host}', '${var.host} and $${var.host}', false],
    ['${var.url}/${var.unset}.', 'http://db:80/.', false],
    ['${var.dsn}', 'http://db:80?pw=secret of password', true],
    ['${instance.name} ${instance.id} ${project.name}', 'web-1 inst_1 shop', false],
  ])('%s', (text, expected, isSecret) =>
    expect(renderText(text, scope(some, { 'project.name': 'shop' }))).toEqual({ text: expected, isSecret }),
  )

  test.each(['${var.nope}', '${HOME}', '${}', '${var.host', '${network.cidr}', '${instance.spec}', '${var.host.x}'])(
    '%s is a problem',
    text => expect(renderText(text, scope(some))).toMatchObject({ problem: expect.any(String) }),
  )

  test('without anything in it is as it was, and a literal is what it is written for', () =>
    fc.assert(
      fc.property(fc.string(), text => {
        expect(renderText(text.replaceAll('${', ''), scope({})).text).toBe(text.replaceAll('${', ''))
        const literal = text.replaceAll('$', '')
        expect(renderText(`$\${${literal}}`, scope({}))).toEqual({ text: `\${${literal}}`, isSecret: false })
        expect(referencesIn(`$\${${literal}}`)).toEqual([])
      }),
    ))

  test('cannot grow without end', () => {
    const long: Variables = { variables: [{ name: 'x', default: 'x'.repeat(30_000) }] }
    expect(renderText('${var.x}'.repeat(100), scope(long)).problem).toContain('longer than')
    const doubling: Variables = {
      variables: [
        { name: 'v0', default: 'x'.repeat(1_000) },
        ...Array.from({ length: 40 }, (_, n) => ({
          ...{ name: `v${n + 1}`, type: 'computed' as const, value: `\${var.v${n}}\${var.v${n}}` },
        })),
      ],
    }
    expect(renderText('${var.v40}', scope(doubling)).problem).toContain('longer than')
    const words = Array.from({ length: 1_024 }, () => '${var.x}')
    const { errors } = renderServices({ services: { web: { image: 'i', command: words } } }, scope(long))
    expect(errors).toHaveLength(1)
  })
})

test('what has a secret in it goes where secrets go, and is refused elsewhere', () => {
  const web = {
    image: 'i',
    command: ['serve', '--pw=${var.password}', '$(DSN)'],
    env: { DSN: '${var.dsn}', HOST: '${var.host}' },
    files: {
      '/a/b': { content: 'pw ${var.password}' },
      '/c': { content: '${var.port}' },
      '/d': { contentBase64: 'AAAA' },
    },
    healthChecks: [{ type: 'http' as const, port: 'p', path: '/${var.password}' }],
  }
  const { source, errors } = renderServices({ services: { web } }, scope(some))
  const at = '/spec/source/services/services/web'
  expect(errors.map(({ path }) => path).sort()).toEqual([
    `${at}/command/1`,
    `${at}/command/2`,
    `${at}/healthChecks/0/path`,
  ])
  expect(source.services.web).toMatchObject({
    env: { HOST: 'db' },
    secretEnv: { DSN: 'http://db:80?pw=secret of password' },
    files: { '/a/b': { content: 'pw secret of password', secret: true }, '/c': { content: '80' }, '/d': {} },
  })
})

describe('variables are refused', () => {
  const pathsOf = (variables: Variables) => validateVariables(variables).map(({ path }) => path)
  const one = (variable: object, value?: unknown) =>
    ({
      variables: [{ name: 'x', ...variable }],
      ...(value !== undefined && { variableValues: { x: value } }),
    }) as unknown as Variables

  test.each([
    [one({ type: 'int' }, '1'), '/spec/variableValues/x'],
    [one({ type: 'int', min: 1, max: 3 }, 4), '/spec/variableValues/x'],
    [one({ type: 'bool' }, 'true'), '/spec/variableValues/x'],
    [one({ type: 'enum', enum: ['a'] }, 'b'), '/spec/variableValues/x'],
    [one({ type: 'string', max: 2 }, 'abc'), '/spec/variableValues/x'],
    [one({ pattern: '^[a-z]+$' }, 'A'), '/spec/variableValues/x'],
    [one({ pattern: '^(a+)+$' }, `${'a'.repeat(40)}b`), '/spec/variableValues/x'],
    [one({ required: true }), '/spec/variableValues/x'],
    [one({ type: 'secret' }, 1), '/spec/variableValues/x'],
    [one({}, { secret: 'db' }), '/spec/variableValues/x'],
    [one({ type: 'computed', value: 'x' }, 'y'), '/spec/variableValues/x'],
    [{ variableValues: { y: 'x' } }, '/spec/variableValues/y'],
    [one({ type: 'int', default: 'x' }), '/spec/variables/0/default'],
    [one({ type: 'secret', default: 'x' }), '/spec/variables/0/default'],
    [one({ type: 'enum' }), '/spec/variables/0/enum'],
    [one({ type: 'computed' }), '/spec/variables/0/value'],
    [one({ value: 'x' }), '/spec/variables/0/value'],
    [one({ pattern: '(' }), '/spec/variables/0/pattern'],
    [one({ type: 'int', min: 2, max: 1 }), '/spec/variables/0/max'],
    [{ variables: [{ name: 'x' }, { name: 'x' }] }, '/spec/variables/1/name'],
    [
      {
        variables: [
          { name: 'a', type: 'computed', value: '${var.b}' },
          { name: 'b', type: 'computed', value: '${var.a}' },
        ],
      } satisfies Variables,
      '/spec/variables/0/value',
    ],
  ])('%j', (variables, path) => expect(pathsOf(variables)).toEqual([path]))

  test('and others are not', () => {
    expect(pathsOf(some)).toEqual([])
    expect(pathsOf(one({ type: 'int', min: 1, max: 3, required: true }, 3))).toEqual([])
    expect(pathsOf(one({ pattern: '^[a-z]+$', min: 2 }, 'abc'))).toEqual([])
    expect(pathsOf(one({ type: 'enum', enum: ['a', 'b'], default: 'b', required: true }))).toEqual([])
    expect(pathsOf(one({ type: 'secret', required: true }, { secret: 'db', version: 1 }))).toEqual([])
  })
})
