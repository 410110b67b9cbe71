import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@stead/testing'
import { expect, test } from 'vitest'
import { Program } from './tests/program.ts'

test('every metric is in the list, and they count what there is', { timeout: 60_000 }, async () => {
  const data = join(temporaryDirectory(), 'data')
  const program = new Program(['serve', '--listen', '127.0.0.1:0', '--data', data, '--simulated-region'])
  const url = await program.listening()
  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const ask = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }
  const project = '/v1/projects/default%2Fdefault'
  const source = { services: { services: { web: { image: 'any', command: ['run'] } } } }
  const made = await ask('POST', `${project}/instances`, { name: 'web-1', spec: { region: 'simulated', source } })
  expect(made.status).toBe(201)
  await ask('POST', `${project}/webhooks`, { name: 'chat', spec: { url: 'https://hooks.example/in', active: false } })
  expect((await ask('GET', `${project}/instances/web-1/wait?phase=running&timeout=30s`)).status).toBe(200)
  const text = await (await fetch(`${url}/metrics`)).text()

  const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8')
  const shown = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) =>
    type === 'counter' ? `${name}_total` : name,
  )
  const listed = [...page.matchAll(/^\| `([a-z_]+)` \| (?:counter|gauge|histogram) \|/gm)].map(([, name]) => name)
  // `npm run docs` writes the list.
  expect([...shown].sort()).toEqual([...listed].sort())

  expect(text).toContain('stead_instances{region="simulated",phase="running"} 1')
  expect(text).toContain('stead_webhooks{state="inactive"} 1')
  expect(text).toMatch(/stead_provider_calls_total\{region="simulated",verb="launch",result="done"\} 1\n/)
  expect(text).toMatch(/stead_provider_call_duration_seconds_count\{region="simulated",verb="launch"\} 1\n/)
  expect(text).toMatch(/stead_commits_total\{result="committed"\} [1-9]/)
  expect(text).toMatch(/stead_commit_duration_seconds_count [1-9]/)
})
