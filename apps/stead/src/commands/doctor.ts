import { detectEngine, type EngineName, type FoundEngine } from '@stead/provider-docker'
import { detectLocal, type LocalDetection } from '@stead/provider-local'

/** `stead doctor`: what this machine can run, how well, and what would make it better. */
export async function doctorCommand({ json = false }: { readonly json?: boolean }): Promise<void> {
  const [local, docker, podman] = await Promise.all([detectLocal(), detectEngine('docker'), detectEngine('podman')])
  const text = [...asText(local), engineText('docker', docker), engineText('podman', podman)]
  console.log(json ? JSON.stringify({ local, docker, podman }) : text.join('\n'))
}

const engineText = (name: EngineName, found: FoundEngine | { readonly whyNot: string }): string =>
  'whyNot' in found
    ? `${name}: none to be found: ${found.whyNot}`
    : `${name}: services as containers, version ${found.version} at ${found.endpoint}`

function asText({ level, limits, enforces, advice }: LocalDetection): string[] {
  const { cgroups, enforced, missing } = limits
  return [
    `local: services as processes of this machine, isolation ${level}`,
    ...enforces.map(each => `  keeps: ${each}`),
    `  limits (control groups ${cgroups}): ${enforced.length > 0 ? enforced.join(', ') : 'none'}`,
    ...(missing.length > 0 ? [`  not limited: ${missing.join(', ')}`] : []),
    ...advice.map(each => `  to do: ${each}`),
  ]
}
