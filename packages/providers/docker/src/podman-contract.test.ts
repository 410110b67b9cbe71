import { describeWith } from '@stead/testing'
import { podmanEngine } from '@stead/testing/engines'
import { contractOn } from './tests/contract.suite.ts'

describeWith('podman', 'on a real engine', () => contractOn(podmanEngine))
