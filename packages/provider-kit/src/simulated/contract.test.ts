import { runProviderContractTests } from '../contract/index.ts'
import { simulatedSubject } from './contract-subject.ts'

for (const mode of ['token', 'name', 'search'] as const)
  runProviderContractTests(`simulated, by ${mode}`, () => simulatedSubject({ mode }))
