import type { MetricsRegistry, View } from '@stead/engine'
import { instances, instancesByPhase, phaseKey } from '../instances/model.ts'
import { phases } from '../instances/transitions.ts'
import { Region } from '../regions/model.ts'
import { Orphan } from '../servers/orphans/model.ts'
import { stateOf, Webhook } from '../webhooks/model.ts'

const webhookStates = ['active', 'failing', 'paused', 'inactive'] as const

/** Counts what there is, as this node reads it, for who looks after the installation. Tenants are not told apart. */
export function measureHouse(metrics: MetricsRegistry, everything: View, now: () => number): void {
  const byPhase = metrics.gauge('stead_instances', 'Instances by region and phase', ['region', 'phase'])
  const orphans = metrics.gauge('stead_orphans', 'Objects at backends that nobody here answers for', ['region'])
  const webhooks = metrics.gauge('stead_webhooks', 'Webhooks by how they fare', ['state'])
  const waiting = metrics.gauge(
    'stead_webhook_waiting_objects',
    'Objects whose events wait for a receiver that does not take them',
  )
  const oldest = metrics.gauge(
    'stead_webhook_oldest_seconds',
    'How long the webhook that has failed longest has failed',
  )
  const shown = new Map<string, string>()

  const refreshRegions = (): void => {
    const regions = everything.list<Region>({ kind: Region.kind }).items
    const names = new Map(regions.map(({ id, name = id }) => [id, name]))
    // One that is gone is not shown at 0 for ever.
    for (const [id, name] of shown) {
      if (names.has(id)) continue
      for (const phase of phases) byPhase.remove({ region: name, phase })
      orphans.remove({ region: name })
      shown.delete(id)
    }
    const countOf = (key: string) => everything.count({ kind: instances, index: { name: instancesByPhase.name, key } })
    const left = tally(everything.list<Orphan>({ kind: Orphan.kind }).items, ({ spec }) => spec.region)
    for (const { id, name = id } of regions) {
      shown.set(id, name)
      for (const phase of phases) byPhase.with({ region: name, phase }).set(countOf(phaseKey(id, phase)))
      orphans.with({ region: name }).set(left.get(id) ?? 0)
    }
  }

  const refreshWebhooks = (): void => {
    const all = everything.list<Webhook>({ kind: Webhook.kind }).items
    const count = tally(all, stateOf)
    for (const state of webhookStates) webhooks.with({ state }).set(count.get(state) ?? 0)
    waiting.set(all.reduce((sum, { status }) => sum + status.held.length, 0))
    const since = Math.min(...all.map(({ status }) => status.failing?.since ?? Number.POSITIVE_INFINITY))
    oldest.set(Number.isFinite(since) ? Math.max(0, now() - since) / 1_000 : 0)
  }

  metrics.beforeExposition(() => {
    refreshRegions()
    refreshWebhooks()
  })
}

function tally<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
