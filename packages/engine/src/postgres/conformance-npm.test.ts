import { describeWith } from '@stead/testing'
import { postgresConformance } from './conformance.suite.ts'

describeWith('embedded postgresql', 'PostgreSQL from npm', () => postgresConformance('embedded postgresql'))
