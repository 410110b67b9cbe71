import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { describeWith } from '@stead/testing'
import { expect, test } from 'vitest'
import { isAlive, type ProcessMark } from './machine/processes.ts'
import { files } from './supervisor/files.ts'
import { services, shell, TestRegion } from './tests/region.ts'

const count = 200
const together = 20

/** With everything that could be left behind: a port, a volume, a secret, a tree of processes. */
const unit = services({
  main: shell('sleep 600 & sleep 600', {
    ports: [{ name: 'http', protocol: 'tcp' }],
    volumes: [{ name: 'v', path: '/v', readOnly: false }],
    files: [{ path: '/run/secret', content: Buffer.from('x'), secret: true }],
    resources: { memoryMiB: 64, cpuMillis: 500 },
  }),
})

describeWith('bubblewrap', 'many instances', () => {
  test(`${count} started and stopped leave no process, group, mount, namespace, socket or file`, {
    timeout: 300_000,
  }, async () => {
    const region = await TestRegion.open()
    try {
      await region.provider.catalog()
      const settled = readdirSync(region.directory).sort()
      const supervisor = await region.supervisor()
      const openFiles = () => readdirSync(`/proc/${supervisor}/fd`).length
      // Only of this region: other tests mount things meanwhile, and the supervisor sees them come.
      const mountsOf = (process: string | number) =>
        readFileSync(`/proc/${process}/mounts`, 'utf8')
          .split('\n')
          .filter(line => line.includes(region.directory))
      const before = { openFiles: openFiles(), mounts: mountsOf(supervisor), ours: mountsOf('self') }
      const namespacesOf = new Set<string>()
      const processes: ProcessMark[] = []
      for (let done = 0; done < count; done += together) {
        const batch = await Promise.all(Array.from({ length: together }, () => region.running(unit)))
        for (const { id } of batch) {
          const { monitor, first } = region.state(id).services.main!.run!
          processes.push(monitor, first!)
          const { pid } = first!
          for (const kind of ['mnt', 'pid', 'net', 'user']) namespacesOf.add(readlinkSync(`/proc/${pid}/ns/${kind}`))
        }
        await Promise.all(batch.map(({ id }) => region.provider.terminate(id)))
        await region.eventually('the batch to be gone', () => region.instances().length === 0 || undefined, 60_000)
      }
      expect(namespacesOf.size).toBeGreaterThanOrEqual(4 * together)
      expect(region.cgroups()).toEqual([])
      expect(readdirSync(region.directory).sort()).toEqual(settled)
      expect(readdirSync(`${region.directory}/stage`)).toEqual([])
      expect(mountsOf('self')).toEqual(before.ours)
      expect(mountsOf(supervisor)).toEqual(before.mounts)
      await region.eventually('its files to be closed', () => openFiles() <= before.openFiles + 2 || undefined)
      // The first process of a namespace is the last to go. The numbers of namespaces prove nothing: others get them soon.
      await region.eventually('their processes to be gone', () => !processes.some(isAlive) || undefined)
      await region.provider.close()
      await region.eventually('the supervisor to end by itself', () => !existsSync(`/proc/${supervisor}`) || undefined)
      expect(existsSync(`${region.directory}/${files.socket}`)).toBe(false)
    } finally {
      await region.close()
    }
  })
})
