import { runProviderContractTests } from '@stead/provider-kit/contract'
import { describeWith } from '@stead/testing'
import { becomeOrdinary } from './tests/ordinary-user.ts'
import { localSubject } from './tests/subject.ts'

becomeOrdinary()

describeWith('namespaces', 'at basic isolation, as an ordinary user', () => {
  runProviderContractTests('local, basic', () => localSubject('basic'), { timeout: 60_000 })
})
