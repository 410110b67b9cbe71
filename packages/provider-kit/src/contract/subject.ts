import type { Duration, World } from '@stead/world'
import type { LaunchSource } from '../launch-spec.ts'
import type { Provider } from '../provider.ts'
import type { Owner, Tags } from '../tags.ts'
import type { GroupFixtures } from './fixtures.ts'

/** Something the backend under test has, or the reason why it cannot have it. The reason is shown in the summary. */
export type Unless<T> = T | { readonly not: string }

/** A provider under test, and the hands the tests need behind its back. */
export interface ContractSubject {
  readonly provider: Provider
  /** For whom it was connected. */
  readonly owner: Owner
  readonly world: World
  /** Another client of the same backend for the same owner: the control plane after a restart, or its other node. */
  connect(): Promise<Provider>
  readonly limits: {
    /** How many launches at once the backend can take: 100 simulated, 4 real machines. */
    readonly concurrency: number
    /** How many servers one page of a list holds; null when the backend answers everything at once. */
    readonly pageSize: number | null
    /** Within this a launch has answered, however long the boot takes. */
    readonly launch: Duration
    /** Within this a server has come to run, to rest, or gone away. */
    readonly transition: Duration
    /** Within this a cancelled call has ended. */
    readonly cancel: Duration
  }
  readonly sources: {
    /** The smallest thing worth launching. */
    readonly minimal: LaunchSource
    /** Also fine, and something else. */
    readonly other: LaunchSource
    /** Of a supported type, and impossible: an image that is not there. */
    readonly invalid: LaunchSource
  }
  readonly backend: {
    /** Makes a server without the provider, with exactly these tags, and lets it run. */
    plant(tags: Tags): Promise<string>
    /** Takes a server away without the provider. */
    remove(id: string): Promise<void>
    /** How many things of any kind are there: servers, disks, addresses. */
    count(): Promise<number>
  }
  /** A client whose backend does not answer. */
  readonly unreachable: Unless<() => Promise<Provider>>
  /** A client whose credentials are wrong. */
  readonly badCredentials: Unless<() => Promise<Provider>>
  /** Calls that must fail this way. */
  readonly provoke: Unless<
    Partial<Record<'Capacity' | 'Quota' | 'Throttled', (provider: Provider) => Promise<unknown>>>
  >
  /** Hands inside a running server. */
  readonly inside: Unless<{
    write(id: string, text: string): Promise<void>
    /** What was written last; undefined when nothing was. */
    read(id: string): Promise<string | undefined>
  }>
  /** Something that differs with every boot of a running server. */
  readonly bootId: Unless<(id: string) => Promise<string>>
  /** What the optional groups need. A group that is advertised and has nothing here fails: it cannot be tested. */
  readonly groups: Partial<GroupFixtures>
  /** Everything goes when the subject is closed: there is no need to clean up. */
  readonly disposable?: boolean
  /** Runs one check. A subject on a virtual clock drives it here. */
  run?<T>(work: () => Promise<T>): Promise<T>
  /** Lets go of everything this subject was given. */
  close(): Promise<void>
}

/** Makes a subject, afresh for every promise. A backend that is slow to start may be kept between them. */
export type ContractFactory = () => Promise<ContractSubject>
