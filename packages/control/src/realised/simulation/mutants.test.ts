import type { EngineInvariant } from '@stead/engine/simulation'
import { millis, seconds } from '@stead/world'
import { afterAll, expect, test, vi } from 'vitest'
import type { Staging } from '../../images/staging/staging.ts'
import type { RealisedParts } from '../controller.ts'
import { decide } from '../decide.ts'
import { Effects } from '../effects.ts'
import type { RealisedKind } from '../kind.ts'
import type { Realised } from '../model.ts'
import { Outside } from '../outside.ts'
import { modes, planNames, plans } from './plans.ts'
import { likeUndisturbed, type RunOptions, run } from './run.ts'
import type { RealisedInvariant } from './watchman.ts'

// A busy machine may take ten times as long as an idle one. What never ends is ended by virtual time.
vi.setConfig({ testTimeout: 300_000 })

type Any = Parameters<RealisedKind<Realised, never, never>['specOf']>[0]

class AlwaysFresh extends Outside<Any, never, never, never> {
  override create(object: Any) {
    return super.create(object, true)
  }
}

class OtherToken extends Outside<Any, never, never, never> {
  static #sent = 0
  protected override token(object: Any) {
    return `${super.token(object)}.${OtherToken.#sent++}` as ReturnType<Outside<Any, never, never, never>['token']>
  }
}

class BelievesAnyPicture extends Outside<Any, never, never, never> {
  override async describe(object: Any) {
    const seen = await super.describe(object)
    return seen.type === 'missing' ? { ...seen, surely: true } : seen
  }
}

class BelievesAnyList extends Outside<Any, never, never, never> {
  override async search(object: Any) {
    const seen = await super.search(object)
    return seen.type === 'searched' ? { ...seen, surely: true } : seen
  }
}

class LabelsOfNow extends Outside<Any, never, never, never> {
  override create(object: Any, fresh: boolean) {
    return super.create({ ...object, status: { ...object.status, sent: { labels: object.labels } } }, fresh)
  }
}

class IntentUnwritten extends Effects<Any, never, never, never> {
  protected override async intended(object: Any) {
    return { ...object, status: { ...object.status, sent: { labels: object.labels } } }
  }
}

interface Mutant {
  readonly name: string
  readonly parts: object
  /** What notices it. A bug shows in more than one way, but not in any way. */
  readonly caughtBy: readonly (EngineInvariant | RealisedInvariant)[]
}

const leftBehind = ['everything ends', 'end equals undisturbed', 'no bug surfaces'] as const
const doubled = ['I1 one thing outside per object', ...leftBehind] as const

const mutants: readonly Mutant[] = [
  { name: 'every send is the first', parts: { Outside: AlwaysFresh }, caughtBy: ['the first time is once'] },
  { name: 'another token each time', parts: { Outside: OtherToken }, caughtBy: doubled },
  { name: 'an older picture is believed', parts: { Outside: BelievesAnyPicture }, caughtBy: leftBehind },
  { name: 'an older list is believed', parts: { Outside: BelievesAnyList }, caughtBy: leftBehind },
  {
    name: 'what is sent again is what it is by now',
    parts: { Outside: LabelsOfNow },
    caughtBy: leftBehind,
  },
  {
    name: 'what is sent is not written down before',
    parts: { Effects: IntentUnwritten },
    caughtBy: ['the first time is once', ...doubled],
  },
  {
    name: 'what was sent and not answered is not searched for',
    parts: {
      decide: view => {
        const { deletedAt, status } = view.object
        return deletedAt !== undefined && status.backendId === undefined ? { type: 'forget' } : decide(view)
      },
    } satisfies RealisedParts,
    caughtBy: leftBehind,
  },
  {
    name: 'what may have been made twice is not searched for',
    parts: {
      decide: view => {
        const decision = decide(view)
        return decision.type === 'search' && view.backend.type === 'missing' ? { type: 'forget' } : decision
      },
    } satisfies RealisedParts,
    caughtBy: leftBehind,
  },
  {
    name: 'what was staged stays where it is',
    parts: { staging: (inner: Staging) => ({ ...inner, remove: async () => {} }) },
    caughtBy: ['I4 what is deleted leaves nothing behind', ...leftBehind],
  },
  {
    name: 'what was staged is removed once it was sent',
    parts: {
      staging: (inner: Staging) => ({
        ...inner,
        async *open(id: string) {
          yield* inner.open(id)
          await inner.remove(id)
        },
      }),
    },
    caughtBy: leftBehind,
  },
]

/** One thing going wrong, at each of its first occasions: enough for bugs in what is believed and when. */
const occasions = Array.from({ length: 10 }, (_, index) => index + 1)
const disturbances: readonly Pick<RunOptions, 'sky' | 'script'>[] = modes.flatMap(mode =>
  occasions.flatMap(nth => [
    { sky: { mode, scripts: [{ fault: 'lateEffect' as const, by: seconds(4), nth }] } },
    { sky: { mode, scripts: [{ fault: 'staleDescribe' as const, by: millis(400), nth }] } },
    { sky: { mode, scripts: [{ fault: 'lostReply' as const, nth }] } },
    { sky: { mode }, script: [{ name: 'node-crash-after-outside-call' as const, at: nth }] },
    {
      sky: { mode, scripts: [{ fault: 'lostReply' as const, nth: 1 }] },
      script: [{ name: 'interfering-write' as const, at: nth }],
    },
  ]),
)

const caught: string[] = []

test.each(mutants)('$name: caught', async ({ name, parts, caughtBy }) => {
  for (const disturbance of disturbances)
    for (const planName of planNames) {
      const plan = plans[planName]
      const outcome = await run({ seed: 0, nodes: 1, plan, parts: parts as RealisedParts, ...disturbance })
      const { violation } = await likeUndisturbed(outcome, { plan, sky: disturbance.sky })
      if (!violation) continue
      expect(caughtBy).toContain(violation.invariant)
      caught.push(`${name}: by "${violation.invariant}" in "${planName}" with ${JSON.stringify(disturbance)}`)
      return
    }
  expect.fail('nothing showed it')
})

afterAll(() => console.log(`${caught.length} mutants caught\n${caught.join('\n')}`))
