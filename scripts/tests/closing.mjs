/**
 * The end of a test run: what was skipped and why, what had to be tried twice, what makes the run fail besides failed tests, and the closing line.
 * `ended` is how vitest ended: its exit code, or the signal that killed it.
 */
export function closing(report, { ended, skippingIsForbidden }) {
  const { passed, failed, skipped, retried } = report
  const complaints = []
  if (skippingIsForbidden && skipped.length > 0) complaints.push('STEAD_NO_SKIP=1 forbids skipping')
  if (passed + failed === 0) complaints.push('no test ran')
  if (ended !== 0 && failed === 0) complaints.push(`vitest ended with ${ended}`)
  const lines = [
    ...skipList(skipped),
    ...retried.flatMap(({ name, message }) => [`passed only at the second try: ${name}`, `  at the first: ${message}`]),
    ...complaints.map(complaint => `failing: ${complaint}`),
    `${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  ]
  return { lines, exitCode: failed > 0 || complaints.length > 0 ? 1 : 0 }
}

// `npm test -- -t name` skips nearly everything: the list must not bury the rest.
const shown = 20

/** Each reason once, with what would help and the tests it kept from running. */
function skipList(skipped) {
  const reasons = Map.groupBy(skipped, ({ reason, remedy }) => (remedy ? `${reason} (to help: ${remedy})` : reason))
  return [...reasons].flatMap(([reason, tests]) => [
    `skipped, because ${reason}`,
    ...tests.slice(0, shown).map(({ name }) => `  ${name}`),
    ...(tests.length > shown ? [`  … and ${tests.length - shown} more`] : []),
  ])
}
