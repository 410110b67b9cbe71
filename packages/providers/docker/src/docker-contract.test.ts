import { describeWith } from '@stead/testing'
import { dockerEngine } from '@stead/testing/engines'
import { contractOn } from './tests/contract.suite.ts'

describeWith('docker', 'on a real engine', () => contractOn(dockerEngine))
