import { detectLocal, type LocalDetection } from '@stead/provider-local'

/** `stead doctor`: what this machine can run, how well, and what would make it better. */
export async function doctorCommand({ json = false }: { readonly json?: boolean }): Promise<void> {
  const found = await detectLocal()
  console.log(json ? JSON.stringify({ local: found }) : asText(found).join('\n'))
}

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
