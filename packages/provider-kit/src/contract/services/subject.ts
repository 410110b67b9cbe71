import type { World } from '@stead/world'
import type { Provider } from '../../provider.ts'
import type { Endpoint } from '../../server-info.ts'
import type { Owner } from '../../tags.ts'

/** A provider of services under test, and what the tests cannot know of it. */
export interface ServicesSubject {
  readonly provider: Provider
  readonly owner: Owner
  readonly world: World
  /** An image with a POSIX shell and what belongs to one; its root has a directory `/var` that may be written. */
  readonly image: string
  /** The script of a web server that answers every request on the port in this variable with a page. */
  listener(variable: string, page: string): string
  /** The script that fetches a page from a port of 127.0.0.1. */
  fetcher(port: number): string
  /** The script that takes this much memory, and keeps it. */
  hog(mebibytes: number): string
  /** Fetches a page from where endpoints are reached. Rejects when nobody answers. */
  fetchPage(endpoint: Pick<Endpoint, 'port'>): Promise<string>
  /** Everything that an operator of the backend can see of a server without opening its files. */
  shown(id: string): Promise<string>
  /** How many things of any kind the backend has: containers, networks, volumes, directories. */
  count(): Promise<number>
  close(): Promise<void>
}
