/**
 * Everything that can be limited, and what one of it is. The set is closed: a kind that nobody limits would be free
 * without anyone noticing.
 */
export const quotaKinds = {
  projects: 'projects of the organization; a limit on a project means nothing',
  instances: 'instances, whatever their power, from create until they are gone',
  cpuMillis: 'thousandths of a CPU',
  memoryMiB: 'memory, in MiB',
  diskGiB: 'disks that live and die with an instance, in GiB',
  gpus: 'GPUs',
  publicIps: 'public addresses',
  networks: 'networks',
  images: 'images that the project owns: uploads and snapshots',
  volumesGiB: 'volumes, in GiB',
  fleets: 'fleets',
  workloads: 'workloads',
} as const

export type QuotaKind = keyof typeof quotaKinds

export const quotaKindNames = Object.keys(quotaKinds) as readonly QuotaKind[]

export const isQuotaKind = (text: string): text is QuotaKind => Object.hasOwn(quotaKinds, text)

/** How much of each kind; a kind that is left out is 0. */
export type Amounts = Readonly<Partial<Record<QuotaKind, number>>>

/** The same amounts without zeros, in the order of kinds. What is not a count of a known kind is a bug, and throws. */
export function checkedAmounts(amounts: Amounts): Amounts {
  const unknown = Object.keys(amounts).find(kind => !isQuotaKind(kind))
  if (unknown !== undefined) throw new Error(`there is no quota kind ${unknown}`)
  const checked: Partial<Record<QuotaKind, number>> = {}
  for (const kind of quotaKindNames) {
    const amount = amounts[kind] ?? 0
    if (!(Number.isSafeInteger(amount) && amount >= 0)) throw new Error(`${amount} ${kind} cannot be charged`)
    if (amount > 0) checked[kind] = amount
  }
  return checked
}
