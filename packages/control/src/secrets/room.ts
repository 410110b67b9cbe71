import type { Controller } from '@stead/engine'
import type { Tell } from '../audit/deeds.ts'
import type { Route } from '../door/route.ts'
import { teardownController } from '../teardown/controller.ts'
import type { Part } from '../teardown/model.ts'
import { inProject } from '../teardown/parts.ts'
import { type SecretRoom, secretRoutes } from './api.ts'
import { Secret, secretWhole } from './model.ts'

/** What other rooms use secrets for. It keeps them, and the versions that are used, from ending. */
export interface SecretUses extends Pick<SecretRoom, 'versionsUsed'> {
  readonly toSecrets: readonly Part[]
}

/** Secrets of projects. */
export function secretRoom({ toSecrets, versionsUsed }: SecretUses) {
  const whole = secretWhole(toSecrets)
  return {
    kinds: [Secret],
    inProjects: [inProject(Secret.kind, { noun: Secret.noun, blocks: true, end: 'mark' })] as readonly Part[],
    controllers: (tell: Tell): readonly Controller[] => [teardownController(whole, tell)],
    routes: (around: Omit<SecretRoom, 'whole' | 'versionsUsed'>): readonly Route[] =>
      secretRoutes({ whole, versionsUsed, ...around }),
  }
}
