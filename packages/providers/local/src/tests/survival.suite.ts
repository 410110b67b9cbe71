import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type LaunchSource, launchToken, serverTags } from '@stead/provider-kit'
import { newId, realWorld as world } from '@stead/world'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Isolation } from '../machine/levels.ts'
import { signal, treeOf } from '../machine/processes.ts'
import { owner, processOf, services, shell, sleeper, TestRegion } from './region.ts'

const program = fileURLToPath(new URL('./control-plane.ts', import.meta.url))

/** Counts aloud, so that a line that is lost or doubled is seen. */
const counter = services({ main: shell('i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done') })

/** Ends with a code of its own once a file is there. */
const leaver = (besides = {}) =>
  services({ main: shell('while ! test -e go; do sleep 0.02; done; exit 23', { restart: 'never', ...besides }) })

/** What must outlive whom, at one level of isolation. */
export function survivalTests(isolation: Isolation): void {
  describe(`what runs at ${isolation} isolation`, () => {
    let region: TestRegion
    let control: ChildProcess | undefined

    beforeEach(async () => {
      region = await TestRegion.open({ isolation })
    })
    afterEach(async () => {
      control?.kill('SIGKILL')
      await region.close()
    })

    /** Launches by way of a control plane that is then killed. */
    async function launchAndKill(...sources: LaunchSource[]): Promise<string[]> {
      control = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
      control.stdin!.end(JSON.stringify({ directory: region.directory, isolation, sources }))
      const [data] = await once(control.stdout!, 'data')
      control.kill('SIGKILL')
      await once(control, 'exit')
      return JSON.parse(String(data)) as string[]
    }

    async function killSupervisor(): Promise<void> {
      const pid = await region.supervisor()
      signal(pid, 'SIGKILL')
      await region.eventually('the supervisor to be dead', () => !existsSync(`/proc/${pid}`) || undefined)
    }

    const go = (id: string) => writeFileSync(region.disk(id, 'main', 'go'), '')

    async function numbers(id: string): Promise<number[]> {
      const found: number[] = []
      for await (const { line } of region.provider.logs!(id, {})) found.push(Number(line))
      return found
    }

    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

    test('is not brought back by its token once it was terminated, whoever supervises by then', async () => {
      const serverId = newId(world, 'srv')
      const spec = { name: 'test', source: sleeper, power: 'on' as const, tags: serverTags(owner, serverId) }
      const launch = (attempt: number) => region.provider.launch(spec, launchToken(serverId, attempt))
      const { id } = await launch(1)
      await region.until(id, 'running')
      await region.provider.terminate(id)
      await region.eventually('it to be gone', () => !region.instances().includes(id) || undefined)
      await expect(launch(1)).rejects.toThrow('was terminated')
      await killSupervisor()
      await expect(launch(1)).rejects.toMatchObject({ code: 'Conflict' })
      expect((await launch(2)).id, 'another attempt is another instance').not.toBe(id)
    })

    test('survives the death of the control plane: same processes, log without a hole, exits with their codes', async () => {
      const [counting, leaving] = await launchAndKill(counter, leaver())
      const pid = processOf(region, counting!)
      const before = (await numbers(counting!)).length
      go(leaving!)
      const info = await region.until(leaving!, 'stopped')
      expect(info.services.main).toMatchObject({ state: 'exited', exitCode: 23 })
      expect((await region.provider.describe(counting!)).state).toBe('running')
      expect(processOf(region, counting!)).toBe(pid)
      const after = await region.eventually('more lines', async () => {
        const lines = await numbers(counting!)
        return lines.length > before + 20 ? lines : undefined
      })
      expect(after).toEqual(upTo(after.length))
    })

    test('survives the death of its supervisor: same processes, log without a hole', async () => {
      const { id } = await region.running(counter)
      await region.eventually('some lines', async () => (await numbers(id)).length > 10 || undefined)
      const pid = processOf(region, id)
      await killSupervisor()
      const before = (await numbers(id)).length
      await new Promise(resolve => setTimeout(resolve, 300))
      expect((await region.provider.describe(id)).state).toBe('running')
      expect(processOf(region, id)).toBe(pid)
      const after = await region.eventually('more lines', async () => {
        const lines = await numbers(id)
        return lines.length > before + 20 ? lines : undefined
      })
      expect(after).toEqual(upTo(after.length))
    })

    // At the other levels it is started before it is kept.
    if (isolation === 'full')
      test('what is being started when its supervisor dies is started once', async () => {
        const starter = services({ main: shell('echo >>starts; exec sleep 600') })
        const launches = Array.from({ length: 20 }, () => region.launch(starter))
        await Promise.race(launches)
        await killSupervisor()
        await Promise.allSettled(launches)
        await region.provider.catalog() // whoever supervises now has looked through it
        for (const id of region.instances()) {
          await region.until(id, 'running')
          await region.eventually('it to start', () => existsSync(region.disk(id, 'main', 'starts')) || undefined)
          expect(readFileSync(region.disk(id, 'main', 'starts'), 'utf8')).toBe('\n')
        }
      })

    test('an exit that nobody saw is reported with its code', async () => {
      const { id } = await region.running(leaver())
      const pid = processOf(region, id)
      await killSupervisor()
      go(id)
      await region.eventually('its end', () => !existsSync(`/proc/${pid}`) || undefined)
      const info = await region.until(id, 'stopped')
      expect(info.services.main).toMatchObject({ state: 'exited', exitCode: 23 })
    })

    test('an exit of what was taken over is seen at once', async () => {
      const { id } = await region.running(leaver())
      await killSupervisor()
      await region.until(id, 'running')
      const events = region.provider.watch!({ tags: {} })[Symbol.asyncIterator]()
      await events.next()
      go(id)
      for (;;) {
        const { value } = await events.next()
        if (value?.type === 'change' && value.server?.services.main?.state === 'exited') break
      }
      await events.return?.()
      expect((await region.until(id, 'stopped')).services.main).toMatchObject({ exitCode: 23 })
    })

    test('what was taken over can be entered, stopped and started', async () => {
      const { id } = await region.running(sleeper)
      await killSupervisor()
      expect((await region.exec(id, ['echo', 'here'])).text).toBe('here\n')
      await region.provider.stop(id)
      await region.until(id, 'stopped')
      await region.provider.start(id)
      await region.until(id, 'running')
    })

    test('a tree of processes ends with its instance, also when nobody watches', async () => {
      const tree = services({
        main: shell('(sleep 600 & setsid sleep 600 & wait) & while ! test -e go; do sleep 0.02; done; exit 1', {
          restart: 'never',
        }),
      })
      const { id } = await region.running(tree)
      const all = await region.eventually('its tree', () => {
        const pids = treeOf(processOf(region, id))
        return pids.length >= 4 ? pids : undefined
      })
      if (isolation !== 'none') await killSupervisor()
      go(id)
      await region.eventually(
        'all of them to be dead',
        () => all.every(pid => !existsSync(`/proc/${pid}`)) || undefined,
      )
      await region.until(id, 'stopped')
      expect(region.cgroups()).toEqual([])
    })

    test('a process id alone proves nothing', async () => {
      const { id } = await region.running(leaver({ restart: 'always' }))
      const { monitor } = region.state(id).services.main!.run!
      await killSupervisor()
      // As if the id had been given to somebody else: to us.
      const path = `${region.directory}/instances/${id}/state.jsonl`
      const state = region.state(id)
      signal(processOf(region, id), 'SIGKILL')
      await region.eventually('its end', () => !existsSync(`/proc/${monitor.pid}`) || undefined)
      const stolen = { ...state.services.main!.run!, monitor: { ...monitor, pid: process.pid }, first: undefined }
      writeFileSync(path, JSON.stringify({ ...state, services: { main: { ...state.services.main, run: stolen } } }))
      const info = await region.eventually('another process', async () => {
        const found = await region.provider.describe(id)
        return found.services.main!.restarts === 1 ? found : undefined
      })
      expect(info.state).toBe('running')
    })
  })
}
