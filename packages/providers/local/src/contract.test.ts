import { runProviderContractTests } from '@stead/provider-kit/contract'
import { describeWith } from '@stead/testing'
import { localSubject } from './tests/subject.ts'

describeWith('bubblewrap', 'at full isolation', () => {
  runProviderContractTests('local, full', () => localSubject('full'), { timeout: 60_000 })
})
