import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory, testWith } from '@stead/testing'
import { ContainerEngine, dockerEngine, testImage } from '@stead/testing/engines'
import { expect, onTestFinished } from 'vitest'
import { Program } from '../tests/program.ts'

testWith(
  'docker',
  'a first start finds the engine that answers, an instance runs there, and the doctor says so',
  async () => {
    const engine = await ContainerEngine.start(dockerEngine)
    onTestFinished(() => engine.close(), 60_000)
    const data = join(temporaryDirectory(), 'data')
    const env = { STEAD_FIND_REGIONS: 'true', DOCKER_HOST: engine.endpoint }
    const program = new Program(['serve', '--listen', '127.0.0.1:0', '--data', data], { env })
    const url = await program.listening()
    const authorization = `Bearer ${readFileSync(join(data, 'admin.token'), 'utf8').trim()}`
    const call = async (method: string, path: string, body?: object) => {
      const headers = { authorization, ...(body && { 'content-type': 'application/json', 'idempotency-key': path }) }
      const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return (await answer.json()) as { status: { health: string; phase: string } }
    }
    const region = () => call('GET', '/v1/regions/docker')
    await expect.poll(async () => (await region()).status?.health, { timeout: 20_000 }).toBe('healthy')
    expect(await region()).toMatchObject({
      spec: { provider: 'docker' },
      status: { sources: ['services'], notes: expect.arrayContaining([expect.stringMatching(/^Docker /)]) },
    })
    const instances = '/v1/projects/default%2Fdefault/instances'
    const services = { main: { image: testImage, command: ['sleep', '600'], stopGraceSeconds: 0 } }
    await call('POST', instances, { name: 'box', spec: { region: 'docker', source: { services: { services } } } })
    const phase = async () => (await call('GET', `${instances}/box`)).status?.phase
    await expect.poll(phase, { timeout: 60_000 }).toBe('running')
    await call('DELETE', `${instances}/box`)
    await expect.poll(() => engine.everything(), { timeout: 60_000 }).toEqual([])
    const doctor = new Program(['doctor'], { env })
    expect(await doctor.exited).toMatchObject({ code: 0 })
    expect(doctor.stdout).toContain(`docker: services as containers, version`)
    expect(doctor.stdout).toContain(engine.endpoint)
    program.process.kill('SIGTERM')
    await program.exited
  },
  180_000,
)
