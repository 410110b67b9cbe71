import { expect, test } from 'vitest'
import { IdentityHouse } from './identity/tests/house.ts'
import { Fuzz } from './tests/fuzz/fuzz.ts'
import { fuzzRooms, inspectStore, loggerTo } from './tests/fuzz/house.ts'
import { wrongRoutes } from './tests/fuzz/wrong-routes.ts'

test(
  '20,000 made-up requests: none fails, none is answered against the document, none brings a secret to light',
  {
    timeout: 600_000,
  },
  () => fuzzRooms(20_000),
)

test('whatever a route does that it may not do is found, and nothing else', async () => {
  const lines: string[] = []
  const log = loggerTo(lines)
  const house = await IdentityHouse.open({ log, checksReplies: false })
  const wrong = wrongRoutes(line => log.info({}, line))
  const url = await house.serve(Object.values(wrong))
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as never
  const fuzz = new Fuzz({ url, document, seed: 'wrong', logged: () => lines.splice(0) })
  await fuzz.run(1_500)
  await inspectStore(fuzz, house)
  fuzz.close()
  expect([...fuzz.violations.keys()].sort()).toEqual(Object.keys(wrong).sort())
  expect(
    fuzz
      .unreached()
      .map(({ words }) => words.at(-1))
      .sort(),
  ).toEqual(['away', 'echo', 'lines', 'refusal', 'throws'])
})
