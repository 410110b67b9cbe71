import { readFileSync } from 'node:fs'

export interface Version {
  readonly name: string
  readonly version: string
  readonly node: string
  /** The source it was built from, where whoever packaged it said so in STEAD_REVISION. */
  readonly revision?: string
}

export function readVersion(env: NodeJS.ProcessEnv): Version {
  const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return { name, version, node: process.version, ...(env.STEAD_REVISION && { revision: env.STEAD_REVISION }) }
}

/** The same for people, on one line. */
export function versionLine(env: NodeJS.ProcessEnv): string {
  const { version, node, revision } = readVersion(env)
  return `stead ${version} (${[`Node ${node}`, revision].filter(Boolean).join(', ')})`
}
