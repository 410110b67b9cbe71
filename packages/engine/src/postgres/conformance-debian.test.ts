import { describeWith } from '@stead/testing'
import { postgresConformance } from './conformance.suite.ts'

describeWith('postgresql', 'PostgreSQL from Debian', () => postgresConformance('postgresql'))
